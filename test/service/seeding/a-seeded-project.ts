/** A small project and its database, which the files of a process share, and seeds to load into it. */
import assert from 'node:assert/strict'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { before, beforeEach } from 'node:test'
import { openFolderStore } from '../../../src/blobs/folder-store.ts'
import type { Pool } from '../../../src/database/pool.ts'
import { tableName } from '../../../src/database/sql.ts'
import { loadProject, type Project } from '../../../src/definitions/load-project.ts'
import { printFinding } from '../../../src/definitions/source-file.ts'
import { StartupError } from '../../../src/errors.ts'
import { syncSchema } from '../../../src/schema-sync/sync-schema.ts'
import { type LoadedFile, loadSeeds } from '../../../src/seeding/load-seeds.ts'
import { ensureRoles } from '../../../src/users/roles.ts'
import { shareOnce } from '../../support/afterwards.ts'
import { createTestDatabase } from '../../support/database.ts'
import { type ProjectFiles, writeProject } from '../../support/service.ts'

const supplier = {
  key: 'supplier',
  fields: [
    { key: 'code', type: 'string', required: true, unique: true, maxLength: 8 },
    { key: 'name', type: 'string', required: true },
    { key: 'vat', type: 'string', unique: true },
    { key: 'rating', type: 'enum', values: ['good', 'bad'], required: true, default: 'good' },
    { key: 'parent', type: 'manyToOne', entity: 'supplier' },
    { key: 'orders', type: 'oneToMany', entity: 'order', mappedBy: 'supplier' },
  ],
}

const order = {
  key: 'order',
  ownership: true,
  fields: [
    { key: 'number', type: 'integer', required: true, unique: true },
    { key: 'supplier', type: 'manyToOne', entity: 'supplier', required: true },
    { key: 'notes', type: 'text' },
    { key: 'serial', type: 'bigint' },
    { key: 'total', type: 'decimal', precision: 8, scale: 2, default: '0.00' },
    { key: 'is_urgent', type: 'boolean' },
    { key: 'needed_by', type: 'date' },
    { key: 'placed_at', type: 'timestamp' },
    { key: 'extra', type: 'json' },
    { key: 'offer', type: 'file', accept: ['application/pdf'] },
    { key: 'photos', type: 'files', accept: ['image/*'], maxFiles: 2, stripLocation: true },
  ],
  validations: [
    {
      key: 'needed_later',
      message: 'It is needed before it is placed.',
      field: 'needed_by',
      condition: { needed_by: { $gte: '2000-01-01' } },
    },
  ],
  workflow: {
    initialStep: 'draft',
    steps: [
      { key: 'draft', name: 'Draft', actions: [{ key: 'end', kind: 'proceedToStep', to: 'done' }] },
      { key: 'done', name: 'Done', final: true },
    ],
  },
}

const note = { key: 'note', fields: [{ key: 'text', type: 'text' }] }

// Texts are the same whatever their case, and a record may lack the second part of its key.
const shelf = {
  key: 'shelf',
  fields: [
    { key: 'room', type: 'string', required: true },
    { key: 'label', type: 'string' },
    { key: 'code', type: 'string', unique: 'ignoreCase' },
    { key: 'above', type: 'manyToOne', entity: 'shelf' },
  ],
  indexes: [{ fields: ['room', 'label'], unique: 'ignoreCase', nullsNotDistinct: true }],
}
// Identified by the combination alone.
const drawer = {
  ...shelf,
  key: 'drawer',
  fields: [
    ...shelf.fields.filter(({ key }) => key !== 'code' && key !== 'above'),
    { key: 'above', type: 'manyToOne', entity: 'shelf' },
  ],
}

const definitions: ProjectFiles = {
  'entities/supplier.json': supplier,
  'entities/order.json': order,
  'entities/note.json': note,
  'entities/shelf.json': shelf,
  'entities/drawer.json': drawer,
  'roles/buyer.json': { key: 'buyer', permissions: {} },
}

/** How many records of a file were inserted, updated and left. */
type LoadedCounts = ReturnType<typeof countsFor>

export type SeededProject = {
  readonly pool: Pool
  readonly project: Project
  /** What loading needs. */
  readonly given: Omit<Parameters<typeof loadSeeds>[0], 'isUpdating' | 'isPlan'>
  /** Replaces the seed files of the project by these. */
  readonly write: (seeds: ProjectFiles) => Promise<void>
  /** Writes the seeds and loads them. */
  readonly load: (seeds: ProjectFiles, timeZone?: string) => Promise<LoadedCounts[]>
  /** Writes the seeds and updates the database with them; with `isPlan` only returns what would change. */
  readonly update: (seeds: ProjectFiles, isPlan?: boolean) => Promise<LoadedFile[]>
  /** The lines of the error that loading these seeds throws. */
  readonly errorsOf: (seeds: ProjectFiles) => Promise<string[]>
  /** The rows of a query. */
  readonly rows: (text: string) => Promise<Record<string, unknown>[]>
}

type Opened = SeededProject & { readonly empty: () => Promise<void> }

/** Suppliers, orders with a workflow, and notes without a unique field. */
export let seeded: SeededProject

/** Asserts what a query finds. */
export const assertRows = async (text: string, expected: readonly object[]): Promise<void> =>
  assert.deepEqual(await seeded.rows(text), expected)

/** For a file: before each test the project has neither records nor seeds. */
export const shareSeeded = (): void => {
  let opened: Opened
  before(async () => {
    opened = await shared()
    seeded = opened
  })
  beforeEach(() => opened.empty())
}

const openProject = async (): Promise<Opened> => {
  const directory = await writeProject(definitions)
  const { project, findings } = await loadProject(directory)
  if (!project) throw new Error(findings.map(printFinding).join('\n'))
  const { pool } = await createTestDatabase()
  await syncSchema({ pool, catalog: project.catalog, observe: () => undefined })
  const write = async (seeds: ProjectFiles) => {
    await rm(join(directory, 'seed'), { recursive: true, force: true })
    await mkdir(join(directory, 'seed'))
    for (const [name, value] of Object.entries(seeds)) {
      const path = join(directory, 'seed', name)
      await mkdir(dirname(path), { recursive: true })
      await writeFile(
        path,
        typeof value === 'string' || value instanceof Buffer ? value : JSON.stringify(value),
      )
    }
  }
  const blobs = openFolderStore({ folder: join(directory, '.docket', 'files'), isOwn: true })
  const given = { pool, project, timeZone: 'UTC', blobs, maxBytes: 5_000 }
  const load = async (seeds: ProjectFiles, timeZone = 'UTC') => {
    await write(seeds)
    return (await loadSeeds({ ...given, timeZone })).files.map(countsOf)
  }
  const update = async (seeds: ProjectFiles, isPlan = false) => {
    await write(seeds)
    return (await loadSeeds({ ...given, isUpdating: true, isPlan })).files
  }
  return {
    pool,
    project,
    given,
    write,
    load,
    update,
    errorsOf: (seeds) => errorLines(() => load(seeds)),
    rows: async (text) => (await pool.query(text)).rows,
    empty: async () => {
      const tables = [...project.catalog.entities.keys()].map(tableName).join(', ')
      await pool.query(`TRUNCATE ${tables}, docket.history, docket.file RESTART IDENTITY CASCADE`)
      await ensureRoles(pool, project.catalog)
      await rm(join(directory, 'seed'), { recursive: true, force: true })
    },
  }
}

const shared = shareOnce(openProject)

/** The lines of the StartupError that a function throws; other errors are thrown again. */
export const errorLines = async (work: () => Promise<unknown>): Promise<string[]> => {
  try {
    await work()
  } catch (error) {
    if (error instanceof StartupError) return error.message.split('\n').map((line) => line.trim())
    throw error
  }
  throw new Error('The seeds were loaded.')
}

/** A supplier with its required fields. */
export const acme = { code: 'ACME', name: 'Acme' }
/** A buyer whose fields are derived from one name. */
export const user = (name: string) => ({
  identity_provider_user_id: name,
  first_name: name,
  last_name: 'Example',
  full_name: `${name} Example`,
  username: `${name}@example.com`,
  email: `${name}@example.com`,
  security_role: { key: 'buyer' },
})
/** The expected counts of one file. */
export const countsFor = (
  file: string,
  inserted: number,
  updated: number,
  unchanged: number,
  left = 0,
) => ({
  file: `seed/${file}`,
  inserted,
  updated,
  unchanged,
  left,
})
/** The actual counts of one file. */
export const countsOf = ({ file, inserted, updated, unchanged, left }: LoadedFile) => ({
  file,
  inserted,
  unchanged,
  updated: updated.length,
  left: left.length,
})
