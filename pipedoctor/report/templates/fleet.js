"use strict";
{
  const data = JSON.parse(document.getElementById("record").textContent);
  const canvas = document.getElementById("heat");
  const cell = document.getElementById("cell");
  const live = document.getElementById("live");
  const form = document.getElementById("nodes-filter");
  const GRADES = ["note", "slows", "risks", "breaks"];
  const ROW = 14, GAP = 4, LEAST = 3;
  const usual = cell.textContent;
  let at = -1;
  let shown = data.nodes.map((_, number) => number);

  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue("--" + name);
  const label = (mark) => data.nodes[mark[0]] + ": " + data.rows[mark[1]] + ", " + GRADES[mark[2]];
  const places = () => new Map(shown.map((node, place) => [node, place]));
  const marks = () => {
    const there = new Set(shown);
    return data.marks.filter((mark) => there.has(mark[0]));
  };

  const draw = () => {
    if (!data.rows.length) return;
    const wide = canvas.clientWidth || 600, scale = devicePixelRatio || 1;
    const tall = data.rows.length * (ROW + GAP);
    canvas.width = wide * scale;
    canvas.height = tall * scale;
    const pen = canvas.getContext("2d");
    pen.scale(scale, scale);
    pen.fillStyle = colour("track");
    for (let row = 0; row < data.rows.length; row++) pen.fillRect(0, row * (ROW + GAP), wide, ROW);
    pen.fillStyle = colour("soft");
    pen.font = "11px monospace";
    pen.textBaseline = "middle";
    data.rows.forEach((name, row) => pen.fillText(name, 4, row * (ROW + GAP) + ROW / 2));
    const where = places(), step = wide / Math.max(1, shown.length);
    for (const mark of marks()) {
      pen.fillStyle = colour(GRADES[mark[2]]);
      pen.fillRect(where.get(mark[0]) * step, mark[1] * (ROW + GAP), Math.max(LEAST, step), ROW);
    }
    const here = marks()[at];
    if (here) {
      pen.strokeStyle = colour("ink");
      pen.lineWidth = 2;
      pen.strokeRect(where.get(here[0]) * step - 1, here[1] * (ROW + GAP) + 1, Math.max(LEAST, step) + 2, ROW - 2);
    }
  };

  const say = (mark) => {
    cell.textContent = mark ? label(mark) : usual;
    if (mark) live.textContent = label(mark);
  };

  const nearest = ({ offsetX, offsetY }) => {
    const where = places(), step = canvas.clientWidth / Math.max(1, shown.length);
    const row = Math.floor(offsetY / (ROW + GAP));
    let best = -1, least = 8;
    marks().forEach((mark, number) => {
      const far = Math.abs(where.get(mark[0]) * step + step / 2 - offsetX);
      if (mark[1] === row && far < least) [best, least] = [number, far];
    });
    return best;
  };

  canvas.addEventListener("pointermove", (event) => {
    const found = nearest(event);
    if (found !== at) {
      at = found;
      say(marks()[at]);
      draw();
    }
  });

  const moves = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };
  canvas.addEventListener("keydown", (event) => {
    const known = marks();
    if (!known.length) return;
    if (event.key in moves) at = (at + moves[event.key] + known.length) % known.length;
    else if (event.key === "Home") at = 0;
    else if (event.key === "End") at = known.length - 1;
    else return;
    event.preventDefault();
    say(known[at]);
    draw();
  });

  const rows = [...document.querySelectorAll("#outliers tbody tr")].map((row) =>
    ({ row, nodes: row.dataset.nodes ? row.dataset.nodes.split(",").map(Number) : [] }));
  const count = (number, what) => number + " " + what + (number === 1 ? "" : "s");
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("input", () => {
    const sought = form.querySelector("input").value.trim().toLowerCase();
    const fits = (text) => text.toLowerCase().includes(sought);
    const marked = new Set(data.marks.filter((mark) => fits(data.rows[mark[1]])).map((mark) => mark[0]));
    shown = data.nodes.map((_, number) => number)
      .filter((number) => fits(data.nodes[number]) || fits(data.groups[data.of[number]]) || marked.has(number));
    let left = 0;
    for (const { row, nodes } of rows) {
      const whole = fits(row.textContent);
      const some = nodes.filter((number) => fits(data.nodes[number])).length;
      row.hidden = !whole && !some;
      left += whole ? nodes.length || 1 : some;
    }
    at = -1;
    say();
    live.textContent = count(shown.length, "node") + ", " + count(left, "outlier");
    draw();
  });

  document.getElementById("strip").hidden = !data.rows.length;
  addEventListener("resize", draw);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
  draw();
}
