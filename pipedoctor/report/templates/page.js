"use strict";
{
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const live = document.getElementById("live");

  // What only a script can do is offered only where it runs.
  for (const element of all("button[hidden], form[hidden]")) element.hidden = false;

  const selected = (node) => {
    const range = document.createRange();
    range.selectNodeContents(node);
    const selection = getSelection();
    selection.removeAllRanges();
    selection.addRange(range);
  };

  const copied = async (node) => {
    try {
      await navigator.clipboard.writeText(node.textContent);
      return true;
    } catch {
      selected(node); // where the clipboard is out of reach, by the old door
      return document.execCommand("copy");
    }
  };

  const copy = async (button) => {
    const label = button.firstChild;
    const done = await copied(button.parentElement.querySelector("code"));
    live.textContent = done ? "Copied" : "Press Ctrl+C";
    label.data = live.textContent + " ";
    button.classList.toggle("done", done);
    setTimeout(() => {
      label.data = "Copy ";
      live.textContent = "";
      button.classList.remove("done");
    }, 2000);
  };

  document.addEventListener("click", ({ target }) => {
    const button = target.closest("button.copy");
    if (button) copy(button);
  });

  // A link to a finding opens it, and what it is folded into (Chromium does that itself).
  const reveal = () => {
    const goal = location.hash && document.getElementById(location.hash.slice(1));
    if (!goal) return;
    const inner = goal.querySelector(":scope > details");
    if (inner) inner.open = true;
    for (let box = goal.closest("details"); box; box = box.parentElement.closest("details"))
      box.open = true;
    goal.scrollIntoView();
  };
  addEventListener("hashchange", reveal);
  reveal();

  const findings = all(".findings details");
  const opener = document.getElementById("all");
  opener?.addEventListener("click", () => {
    const open = opener.getAttribute("aria-pressed") !== "true";
    opener.setAttribute("aria-pressed", open);
    opener.textContent = open ? "Close all" : "Open all";
    for (const box of findings) box.open = open;
  });

  // Paper cannot be clicked: findings are printed open.
  let closed = [];
  addEventListener("beforeprint", () => {
    closed = findings.filter((box) => !box.open);
    for (const box of closed) box.open = true;
  });
  addEventListener("afterprint", () => {
    for (const box of closed) box.open = false;
  });

  const form = document.getElementById("filter");
  const narrow = () => {
    const sought = form.querySelector("[type=search]").value.trim().toLowerCase();
    const grades = all(":checked", form).map((box) => box.value);
    let shown = 0;
    for (const item of all(".found > .findings > li")) {
      const grade = grades.some((name) => item.matches("." + name) || item.querySelector("li." + name));
      item.hidden = !grade || !item.textContent.toLowerCase().includes(sought);
      shown += !item.hidden;
    }
    live.textContent = shown + " shown";
  };
  form?.addEventListener("input", narrow);
  form?.addEventListener("submit", (event) => event.preventDefault());

  // The command that replays this file says its real name, if that needs no quoting.
  const own = location.pathname.split("/").pop();
  if (/^[A-Za-z0-9][\w.-]*\.html?$/.test(own))
    for (const code of all("code.own-name")) code.textContent = "pipedoctor check --from " + own;
}
