/** A project with every kind of export column, and roles that see less. */
import assert from 'node:assert/strict'
import { insertUser } from '../../src/users/user-store.ts'
import { createAs } from './a-project.ts'
import { type ProjectFiles, startTestService, type TestService, writeProject } from './service.ts'
import { readStrictCsv } from './strict-csv.ts'

const cell = { key: 'note', type: 'text' }

/** The files of the project. */
export const exportProject: ProjectFiles = {
  'entities/continent.json': {
    key: 'continent',
    fields: [{ key: 'name', type: 'string', required: true }],
  },
  'entities/country.json': {
    key: 'country',
    fields: [
      { key: 'name', type: 'string', required: true },
      { key: 'continent', type: 'manyToOne', entity: 'continent' },
    ],
  },
  'entities/customer.json': {
    key: 'customer',
    ownership: true,
    fields: [
      { key: 'name', type: 'string', required: true },
      { key: 'country', type: 'manyToOne', entity: 'country' },
      { key: 'invoices', type: 'oneToMany', entity: 'invoice', mappedBy: 'customer' },
    ],
    exportSettings: {
      useFieldKeyAsHeader: true,
      columnDefs: [{ headerName: 'Ignored', field: 'name' }, { field: 'country.continent.name' }],
    },
  },
  // No exportSettings: every field.
  'entities/invoice.json': {
    key: 'invoice',
    fields: [
      { key: 'number', type: 'string', required: true },
      { key: 'customer', type: 'manyToOne', entity: 'customer' },
      { key: 'total', type: 'decimal', precision: 30, scale: 4 },
      { key: 'is_paid', type: 'boolean' },
      { key: 'due', type: 'date' },
      { key: 'sent_at', type: 'timestamp' },
      { key: 'serial', type: 'bigint' },
      { key: 'extra', type: 'json' },
      cell,
    ],
  },
  'entities/labelled.json': {
    key: 'labelled',
    fields: [{ key: 'customer', type: 'manyToOne', entity: 'customer' }, cell],
    exportSettings: {
      columnDefs: [
        { headerName: '=Label, "quoted"', field: 'note' },
        { headerName: 'Link', field: 'customer' },
        { headerName: 'Land', field: 'customer.country.name' },
        { headerName: 'Who', field: '_created_by.email' },
        { field: '_updated_at' },
        { headerName: 'ID', field: 'id' },
      ],
    },
  },
  'entities/plain.json': {
    key: 'plain',
    fields: [cell],
    exportSettings: { escapeFormulas: false, columnDefs: [{ field: 'note' }] },
  },
  'roles/reader.json': {
    key: 'reader',
    permissions: {
      labelled: { read: true, export: true, hiddenFields: ['note'] },
      customer: { create: true, read: 'own', export: true },
      plain: { read: true },
    },
  },
}

/** Who sees less of the project. */
export const readerEmail = 'reader@example.com'

/** A service with a customer of an Austrian country, and one of none. */
export const startExports = async (): Promise<TestService> => {
  const service = await startTestService(await writeProject(exportProject))
  const names = { first_name: 'R', last_name: 'R', full_name: 'R R' }
  const reader = { identity_provider_user_id: 'r', email: readerEmail, role_key: 'reader' }
  await insertUser(service.database.pool, { ...names, ...reader })
  const continent = await createAs(service, 'continent', { name: 'Europe' })
  const country = { name: 'Österreich', continent_id: continent.id }
  const { id } = await createAs(service, 'country', country)
  await createAs(service, 'customer', { name: 'A, "B"', country_id: id })
  await createAs(service, 'customer', { name: 'No country' })
  return service
}

const identity = { 'Accept-Encoding': 'identity' }

/** Exports without compression; the rows have the texts of their cells. */
export const exportRows = async (
  service: TestService,
  path: string,
  body: unknown = {},
  as?: string,
) => {
  const reply = await service.ask('POST', path, { body, headers: identity, ...(as && { as }) })
  assert.equal(reply.status, 200, reply.text)
  return { reply, rows: readStrictCsv(reply.text).map((row) => row.map(({ text }) => text)) }
}
