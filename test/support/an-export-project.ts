/** A project for exports: every field type, every form of exportSettings, roles with different permissions. */
import assert from 'node:assert/strict'
import {
  bound,
  identifier,
  join,
  raw,
  sql,
  tableName,
  toStatement,
} from '../../src/database/sql.ts'
import type { SqlValue } from '../../src/definitions/values/check-value.ts'
import { addUser } from './a-project.ts'
import { entityFile, link, roleFile } from './definitions/files.ts'
import {
  type ProjectFiles,
  shareService,
  startTestService,
  type TestService,
  writeProject,
} from './service.ts'

const item = {
  key: 'item',
  name: 'Item',
  ownership: true,
  fields: [
    { key: 'code', type: 'string' },
    { key: 'note', type: 'text' },
    { key: 'mail', type: 'email' },
    { key: 'site', type: 'url' },
    { key: 'count', type: 'integer' },
    { key: 'serial', type: 'bigint' },
    { key: 'price', type: 'decimal', precision: 30, scale: 2 },
    { key: 'rate', type: 'decimal' },
    // Precisions that files with typed columns store in different ways.
    { key: 'fee', type: 'decimal', precision: 9, scale: 2 },
    { key: 'weight', type: 'decimal', precision: 18, scale: 6 },
    { key: 'total', type: 'decimal', precision: 38, scale: 10 },
    { key: 'pieces', type: 'decimal', precision: 20 },
    { key: 'huge', type: 'decimal', precision: 39, scale: 1 },
    // So few digits that a workbook can always store them as numbers, and one too many.
    { key: 'load', type: 'decimal', precision: 15, scale: 3 },
    { key: 'share', type: 'decimal', precision: 15, scale: 15 },
    { key: 'is_new', type: 'boolean' },
    { key: 'day', type: 'date' },
    { key: 'moment', type: 'timestamp' },
    { key: 'kind', type: 'enum', values: ['=sum', '-bad', 'plain'] },
    { key: 'extra', type: 'json' },
    { key: 'supplier', type: 'manyToOne', entity: 'supplier' },
    { key: 'parts', type: 'oneToMany', entity: 'item', mappedBy: 'parent' },
    { key: 'parent', type: 'manyToOne', entity: 'item' },
  ],
}

const named = (key: string, fields: readonly object[], more: object = {}) => ({
  key,
  fields: [{ key: 'name', type: 'text' }, ...fields],
  ...more,
})

const supplierLink = { key: 'supplier', type: 'manyToOne', entity: 'supplier' }

const entities: ProjectFiles = {
  'entities/item.json': item,
  'entities/continent.json': named('continent', []),
  'entities/country.json': named('country', [
    { key: 'continent', type: 'manyToOne', entity: 'continent' },
  ]),
  'entities/repeated.json': {
    key: 'repeated',
    fields: ['name', 'other', 'third'].map((key) => ({ key, type: 'string' })),
    exportSettings: {
      columnDefs: [
        { headerName: 'Label', field: 'name' },
        { headerName: 'label', field: 'other' },
        { headerName: 'a "b".c\nd', field: 'third' },
      ],
    },
  },
  // Choices and steps with and without names.
  'entities/ticket.json': {
    key: 'ticket',
    fields: [
      {
        key: 'urgency',
        type: 'enum',
        values: ['low', { value: 'high', name: 'High, "very"' }, { value: 'sum', name: "=A1'" }],
      },
    ],
    workflow: {
      initialStep: 'draft',
      steps: [
        {
          key: 'draft',
          name: 'A draft',
          actions: [{ key: 'end', kind: 'proceedToStep', to: 'done' }],
        },
        { key: 'done', final: true },
      ],
    },
    exportSettings: {
      columnDefs: [
        { field: 'urgency' },
        { field: 'urgency', headerName: 'Urgency', format: 'name' },
        { field: '_step', headerName: 'Step', format: 'name' },
        { field: '_step', headerName: 'Step key', format: 'key' },
      ],
    },
  },
  'entities/ticket_line.json': {
    key: 'ticket_line',
    fields: [{ key: 'ticket', type: 'manyToOne', entity: 'ticket' }],
    exportSettings: {
      columnDefs: [
        { field: 'ticket.urgency', headerName: 'Urgency', format: 'name' },
        { field: 'ticket._step', headerName: 'Step', format: 'name' },
      ],
    },
  },
  'entities/supplier.json': named(
    'supplier',
    [
      { key: 'country', type: 'manyToOne', entity: 'country' },
      { key: 'rating', type: 'integer' },
    ],
    { ownership: true },
  ),
  // Columns with and without a label, paths of every depth, links, system fields.
  'entities/labelled.json': named('labelled', [supplierLink], {
    ownership: true,
    exportSettings: {
      columnDefs: [
        { headerName: 'ID', field: 'id' },
        { field: 'name' },
        { headerName: 'Supplier', field: 'supplier.name' },
        { headerName: 'Country', field: 'supplier.country.name' },
        { headerName: 'Continent', field: 'supplier.country.continent.name' },
        { headerName: 'Supplier no.', field: 'supplier' },
        { headerName: 'Country no.', field: 'supplier.country' },
        { headerName: 'Removed', field: '_is_deleted' },
        { headerName: 'Created by', field: '_created_by.email' },
        { headerName: 'Changed', field: '_updated_at' },
        { headerName: 'Owner', field: '_owned_by' },
      ],
    },
  }),
  'entities/keyed.json': named('keyed', [supplierLink], {
    exportSettings: {
      useFieldKeyAsHeader: true,
      columnDefs: [
        { headerName: 'Label', field: 'name' },
        { headerName: 'Label', field: 'supplier.name' },
      ],
    },
  }),
  // One text column: the narrowest row.
  'entities/note.json': named('note', [], {
    exportSettings: { columnDefs: [{ headerName: '=1+1', field: 'name' }] },
  }),
  'entities/raw_note.json': named('raw_note', [], {
    exportSettings: {
      escapeFormulas: false,
      columnDefs: [{ headerName: '=1+1', field: 'name' }],
    },
  }),
  'entities/odd_header.json': named('odd_header', [], {
    exportSettings: {
      columnDefs: [
        { headerName: 'a,"b"\r\nc', field: 'name' },
        { headerName: '', field: 'id' },
      ],
    },
  }),
  // Links by what identifies their record, and by what may repeat.
  ...entityFile('machine', { name: 'Machine', displayField: 'code', ownership: true }, [
    { key: 'code', name: 'Code', type: 'string', required: true, unique: true },
  ]),
  ...entityFile('visit', [
    link('machine'),
    { ...link('inspector', 'user'), name: 'Inspector' },
    link('supplier'),
  ]),
  ...entityFile('measurement', [
    { key: 'position', type: 'integer' },
    { key: 'filler', type: 'text' },
  ]),
}

const roles: ProjectFiles = {
  // Exports, but some fields are hidden.
  ...roleFile('auditor', {
    item: { read: true, export: true, hiddenFields: ['price', 'supplier'] },
    labelled: { read: true, export: true, hiddenFields: ['_updated_at'] },
    supplier: { read: true },
    machine: { read: true },
    visit: { read: true, export: true },
    note: { read: true, export: true, hiddenFields: ['name'] },
  }),
  // Exports its own records and reads only its own suppliers.
  ...roleFile('seller', {
    item: { read: true, export: 'own' },
    note: { read: 'own', export: true },
    labelled: { read: true, export: true },
    supplier: { read: 'own' },
    machine: { read: 'own' },
    visit: { read: true, export: true },
    country: { read: true },
    continent: { read: true },
  }),
  'roles/reader.json': { key: 'reader', permissions: { item: { read: true } } },
  'roles/blind.json': { key: 'blind', permissions: { item: { export: true } } },
}

/** The files of the project. */
export const exportProject: ProjectFiles = { ...entities, ...roles }

const roleKeys = ['auditor', 'seller', 'reader', 'blind'] as const

export type Role = (typeof roleKeys)[number]

/** The e-mail address of the only user of a role. */
export const emailOf = (role: Role): string => `${role}@example.com`

/**
 * Starts the project with one user per role. The administrator exists already. Each export has one connection, unless
 * the environment says otherwise.
 */
export const startExportProject = async (
  environment: Readonly<Record<string, string>> = {},
): Promise<TestService> => {
  const files = await writeProject(exportProject)
  const service = await startTestService(files, { EXPORT_CONNECTIONS: '1', ...environment })
  for (const role of roleKeys) await addUser(service.database, emailOf(role))
  return service
}

type Store = Pick<TestService, 'database' | 'project'>

/** The service of the files that need no other settings: each empties the tables that it uses. */
export const shareExports = shareService(() => startExportProject({ EXPORTS_AT_ONCE: '10' }))

/** Inserts records directly into the database, without validation, and returns their ids. */
export const insertRecords = async (
  { database, project }: Store,
  entityKey: string,
  rows: readonly Readonly<Record<string, SqlValue>>[],
): Promise<number[]> => {
  const columns = project.catalog.entities.get(entityKey)?.columnsByName
  const ids: number[] = []
  for (const row of rows) {
    const names = Object.keys(row)
    const values = names.map((name) =>
      bound(row[name] ?? null, columns?.get(name)?.type.cast ?? 'text'),
    )
    const into = raw(`${tableName(entityKey)} (${names.map(identifier).join(', ')})`)
    const insert = sql`INSERT INTO ${into} VALUES (${join(values, ', ')}) RETURNING id`
    const { rows: inserted } = await database.pool.query<{ id: number }>(toStatement(insert))
    ids.push(...inserted.map(({ id }) => id))
  }
  return ids
}

/** Empties tables and restarts their ids at 1. */
export const emptyTables = async (
  { database }: Pick<Store, 'database'>,
  ...entityKeys: readonly string[]
): Promise<void> => {
  const tables = entityKeys.map(tableName).join(', ')
  await database.pool.query(`TRUNCATE ${tables} RESTART IDENTITY CASCADE`)
}

/** Inserts measurements in the database, each with `fillerLength` characters of filler. */
export const fillMeasurements = async (
  { database }: Pick<Store, 'database'>,
  rows: number,
  fillerLength: number,
): Promise<void> => {
  await database.pool.query(
    `INSERT INTO ${tableName('measurement')} (position, filler)
     SELECT n, repeat('x', $2::integer) FROM generate_series(1, $1::integer) n`,
    [rows, fillerLength],
  )
}

/** Inserts measurements with 1,280 characters each that hardly compress. */
export const fillRandomly = async (
  { database }: Pick<Store, 'database'>,
  rows: number,
): Promise<void> => {
  await database.pool.query(
    `INSERT INTO ${tableName('measurement')} (position, filler)
     SELECT n, (SELECT string_agg(md5((n * 40 + i)::text), '') FROM generate_series(1, 40) i)
     FROM generate_series(1, $1::integer) n`,
    [rows],
  )
}

/** The id of the user with an e-mail address. */
export const userIdOf = async (
  { database }: Pick<Store, 'database'>,
  email: string,
): Promise<number> => {
  const { rows } = await database.pool.query<{ id: number }>(
    `SELECT id FROM ${tableName('user')} WHERE email = $1`,
    [email],
  )
  const [user] = rows
  assert.ok(user, `No user has the e-mail address ${email}.`)
  return user.id
}
