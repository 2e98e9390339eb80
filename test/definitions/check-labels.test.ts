/** Labels of a project: one line, of characters that show. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { errorsOfOrder, findingsOf } from './a-project.ts'

const wrong: readonly [label: string, fault: string][] = [
  ['a\0', 'contains the control character NUL at position 1'],
  ['\u001b[31m', 'contains the control character U+001B at position 0'],
  ['a\u007f', 'contains the control character U+007F at position 1'],
  ['a\ud800', 'contains half of a surrogate pair, which is not a character'],
  ['a\uffff', 'holds U+FFFF at position 1'],
  ['a\tb', 'holds a tab or a line break at position 1; use a single line'],
  ['a\r\nb', 'holds a tab or a line break at position 1; use a single line'],
]
for (const [label, fault] of wrong)
  test(`the label ${JSON.stringify(label)} ${fault}`, async () => {
    const column = { headerName: label, field: 'id' }
    // The header of a column may have several lines, as in spreadsheets.
    const ofHeader = fault.includes('single line')
      ? []
      : [`exportSettings.columnDefs[0].headerName ${fault}`]
    assert.deepEqual(await errorsOfOrder({ exportSettings: { columnDefs: [column] } }), ofHeader)
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
        `fields[0].name ${fault}`,
        `name ${fault}`,
        `workflow.steps[0].name ${fault}`,
        `workflow.steps[0].actions[0].name ${fault}`,
      ],
    )
    const found = await findingsOf({
      'docket.json': { name: label },
      'roles/clerk.json': { key: 'clerk', name: label, permissions: {} },
    })
    assert.deepEqual(
      found.map((line) => line.replace(/:\d+:\d+/, '')),
      [`docket.json name ${fault}`, `roles/clerk.json name ${fault}`],
    )
  })

test('a label in any script, and a value that is called as a label is, are right', async () => {
  const name = 'Nº 5 – ﷽ 発注書 𝕏 "a"'
  const fields = [
    { key: 'name', type: 'text', name, default: 'a\n' },
    { key: 'extra', type: 'json', default: { name: 'a\tb' } },
  ]
  const exportSettings = { columnDefs: [{ headerName: name, field: 'name' }] }
  assert.deepEqual(await errorsOfOrder({ name, fields, exportSettings }), [])
})
