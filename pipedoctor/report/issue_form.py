"""A GitHub issue form that asks for a report."""

ISSUE_FORM = """\
# .github/ISSUE_TEMPLATE/data-pipeline.yml
name: Data pipeline problem
description: Loading is slow, a worker dies, or it works on one machine only
labels: [data-pipeline]
body:
  - type: textarea
    id: what
    attributes:
      label: What happens, and what did you expect?
      description: The command that you ran, and the error with its whole traceback.
    validations:
      required: true
  - type: textarea
    id: report
    attributes:
      label: Report of pipedoctor
      description: |
        On the machine where it happens, in the environment of the job:

        `pip install pipedoctor && pipedoctor report --copy`

        Paste what it prints. Names, hosts, paths and secrets are replaced by it;
        nothing is sent anywhere. Or run `pipedoctor report --all` and drag the .zip
        in here.
    validations:
      required: true
  - type: textarea
    id: log
    attributes:
      label: Log
      description: If there is one. `pipedoctor explain LOG` may tell you the cause.
      render: text
"""
