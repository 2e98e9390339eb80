/** Labels of a project have a single line of visible characters. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { errorsOfOrder, findingsOf } from '../../support/definitions/a-project.ts'

const invalidLabels: readonly [label: string, issue: string][] = [
  ['a\0', 'contains the control character NUL at position 1'],
  ['\u001b[31m', 'contains the control character U+001B at position 0'],
  ['a\u007f', 'contains the control character U+007F at position 1'],
  ['a\ud800', 'contains half of a surrogate pair, which is not a character'],
  ['a\uffff', 'holds U+FFFF at position 1'],
  ['a\tb', 'contains a tab or a line break at position 1; use a single line'],
  ['a\r\nb', 'contains a tab or a line break at position 1; use a single line'],
]
for (const [label, issue] of invalidLabels)
  test(`the label ${JSON.stringify(label)} ${issue}`, async () => {
    const column = { headerName: label, field: 'id' }
    // Column headers may have several lines, as in spreadsheets.
    const headerIssues = issue.includes('single line')
      ? []
      : [`exportSettings.columnDefs[0].headerName ${issue}`]
    assert.deepEqual(
      await errorsOfOrder({ exportSettings: { columnDefs: [column] } }),
      headerIssues,
    )
    const field = { key: 'at', type: 'date', name: label }
    const action = { key: 'do', kind: 'proceedToStep', to: 'b', name: label }
    const steps = [{ key: 'a', name: label, actions: [action] }, { key: 'b' }]
    assert.deepEqual(
      await errorsOfOrder({
        name: label,
        fields: [field],
        workflow: { initialStep: 'a', steps },
      }),
      [
        `fields[0].name ${issue}`,
        `name ${issue}`,
        `workflow.steps[0].name ${issue}`,
        `workflow.steps[0].actions[0].name ${issue}`,
      ],
    )
    const found = await findingsOf({
      'docket.json': { name: label },
      'roles/clerk.json': { key: 'clerk', name: label, permissions: {} },
    })
    assert.deepEqual(
      found.map((line) => line.replace(/:\d+:\d+/, '')),
      [`docket.json name ${issue}`, `roles/clerk.json name ${issue}`],
    )
  })

test('a label may be in any script, and the check skips other values with the property name of a label', async () => {
  const name = 'Nº 5 – ﷽ 発注書 𝕏 "a"'
  const fields = [
    { key: 'name', type: 'text', name, default: 'a\n' },
    { key: 'extra', type: 'json', default: { name: 'a\tb' } },
  ]
  const exportSettings = { columnDefs: [{ headerName: name, field: 'name' }] }
  assert.deepEqual(await errorsOfOrder({ name, fields, exportSettings }), [])
})
