/** `docket check` reports conditions of actions that name unknown fields, or what cannot be compared. */
import assert from 'node:assert/strict'
import { rm } from 'node:fs/promises'
import { test } from 'node:test'
import { examineProject } from '../../../src/cli/open-project.ts'
import { loadConfig } from '../../../src/config/load-config.ts'
import { printFinding } from '../../../src/definitions/source-file.ts'
import { writeProject } from '../../support/service.ts'

const orderWith = (condition: object) => ({
  key: 'order',
  fields: [
    { key: 'notes', type: 'text' },
    { key: 'approver', type: 'manyToOne', entity: 'user' },
    { key: 'estimate', type: 'decimal' },
    { key: 'total', type: 'integer' },
  ],
  workflow: {
    initialStep: 'draft',
    steps: [
      { key: 'draft', actions: [{ key: 'end', kind: 'proceedToStep', to: 'done', condition }] },
      { key: 'done', final: true },
    ],
  },
})

const findingsOf = async (condition: object): Promise<string[]> => {
  const directory = await writeProject({ 'entities/order.json': orderWith(condition) })
  const { findings } = await examineProject(loadConfig({ PROJECT: directory }))
  await rm(directory, { recursive: true, force: true })
  const head = /^entities\/order\.json:\d+:\d+ workflow\.steps\[0\]\.actions\[0\]\.condition /
  return findings.map(printFinding).map((line) => line.replace(head, ''))
}

const rows: readonly [condition: object, ...issues: string[]][] = [
  [{ estimate: { $lte: '5' }, approver: { $caller: 'id' }, notes: { $ne: { $caller: 'email' } } }],
  [{ approver: { $caller: 'security_role' }, notes: { $caller: 'security_role.key' } }],
  [{ estmate: '5' }, '$where.estmate: "estmate" is not a field of order; did you mean "estimate"?'],
  [
    { notes: { $caller: 'emial' }, estimate: { $lt: { $caller: 'email' } } },
    '$where.notes: "emial" is not a field of user; did you mean "email"?',
    '$where.estimate.$lt: "email" of user has the type email, which cannot be compared with decimal',
  ],
  [{ estimate: { $gt: { $field: 'total' } }, approver: { $ne: { $field: '_created_by' } } }],
  [
    { estimate: { $gt: { $field: 'notes' } } },
    '$where.estimate.$gt: cannot be compared with "notes", a text; compare a number with a field of the same kind',
  ],
  [
    { notes: { $in: { $caller: 'email' } }, $not: { notes: { $caller: 'email' } } },
    '$where.notes.$in: does not take "$caller"; compare by "$eq", "$ne", "$gt", "$gte", "$lt" or "$lte"',
    '$where.$not: must not contain "$caller": it would hold where that value is empty',
  ],
]
for (const [condition, ...issues] of rows)
  test(`${JSON.stringify(condition)} ${issues[0] ?? 'is valid'}`, async () => {
    assert.deepEqual(await findingsOf(condition), issues)
  })
