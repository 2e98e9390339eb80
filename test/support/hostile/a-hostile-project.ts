/** The project that hostile requests target: texts without maxLength, patterns, workflow, e-mails and PDFs. */
import assert from 'node:assert/strict'
import type { Pool } from '../../../src/database/pool.ts'
import { entityFile, roleFile } from '../definitions/files.ts'
import { workflowOf } from '../definitions/workflow-of.ts'
import type { ProjectFiles } from '../service.ts'
import type { Ask } from './a-row.ts'

const workflow = workflowOf(
  { new: [{ key: 'end', kind: 'proceedToStep', to: 'ended', form: 'end' }], ended: [] },
  { forms: [{ key: 'end', fields: ['notes'] }] },
)

const everything = { create: true, read: true, update: true, delete: true, export: true }

export const hostileFiles: ProjectFiles = {
  'docket.json': { name: 'Under attack' },
  ...entityFile('client', { displayField: 'name', ownership: true, workflow }, [
    { key: 'name', type: 'string' },
    { key: 'code', type: 'enum', values: ['alpha', 'beta', 'gamma'] },
    { key: 'short', type: 'string', maxLength: 60, pattern: '[a-z]+( [a-z]+)*' },
    { key: 'notes', type: 'text' },
    { key: 'extra', type: 'json' },
    { key: 'total', type: 'decimal', precision: 14, scale: 2 },
    { key: 'parent', type: 'manyToOne', entity: 'client' },
    { key: 'children', type: 'oneToMany', entity: 'client', mappedBy: 'parent' },
  ]),
  'entities/note.json': { key: 'note', fields: [{ key: 'text', type: 'text' }] },
  'entities/contract.json': {
    key: 'contract',
    fields: [
      { key: 'number', type: 'string' },
      { key: 'body', type: 'text' },
    ],
    hooks: [{ type: 'message', hookType: 'AfterChange', functionName: '_sendNotificationHandler' }],
    notifications: [
      {
        operation: 'create',
        emailTemplateId: 'whole',
        recipient: { userGroups: ['everybody'] },
        content: { title: 'New {{ record.number }}', message: '{{ record.body }}' },
      },
    ],
  },
  'email-templates/whole.mjml':
    '---\nsubject: "{{ title }}"\n---\n<mjml><mj-body><mj-section><mj-column><mj-text>{{ record.body }}</mj-text></mj-column></mj-section></mj-body></mjml>\n',
  'printable-documents/contract.typ':
    '#let (record,) = json("data.json")\n#record.number\n\n#record.body',
  'roles/reader.json': { key: 'reader', permissions: { '*': { read: true, export: true } } },
  ...roleFile('clerk', {
    client: { create: true, read: 'own', update: 'own', delete: 'own', export: 'own' },
  }),
  ...roleFile('creator', {
    client: { ...everything, actions: ['end'] },
    note: { create: true },
    contract: { create: true, read: true },
  }),
}

/** The attacking callers and the monitor, whose requests must not suffer; each with its role. */
export const users = {
  reader: 'reader',
  clerk: 'clerk',
  creator: 'creator',
  monitor: 'reader',
} as const

const printable = { code: 'contract', name: 'Contract', entity_key: 'contract' }

/** Creates the records that the rows ask for: among them more than 200 with texts of 90,000 characters. */
export const fillHostile = async (ask: Ask, pool: Pool): Promise<void> => {
  const long = { name: 'long', notes: 'a'.repeat(90_000) }
  for (const [caller, entity, body] of [
    ['admin', 'user_group', { code: 'everybody', name: 'Everybody' }],
    ['admin', 'printable_document', { ...printable, template_file: 'contract.typ' }],
    ['admin', 'client', { name: 'first' }],
    ['clerk', 'client', long],
    ['creator', 'client', long],
    ['creator', 'contract', { number: 'first', body: 'short' }],
  ] as const) {
    const { status, text } = await ask(caller, 'POST', `/${entity}`, body)
    assert.equal(status, 201, text)
  }
  await pool.query(
    `INSERT INTO records.client (name, notes, _created_by, _updated_by) SELECT 'many', repeat('b', 90000), 1, 1 FROM generate_series(1, 200)`,
  )
  await pool.query(
    `INSERT INTO records.user_group_member (user_group_id, user_id) SELECT g.id, u.id FROM records.user_group g, records."user" u`,
  )
}
