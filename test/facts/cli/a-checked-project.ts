/** `docket check` of a small project with further files. */
import assert from 'node:assert/strict'
import { rm } from 'node:fs/promises'
import { callDocket } from '../../support/call-docket.ts'
import { type ProjectFiles, writeProject } from '../../support/service.ts'

const definitions: ProjectFiles = {
  'entities/customer.json': {
    key: 'customer',
    displayField: 'name',
    fields: [
      { key: 'name', type: 'string', required: true, unique: true },
      { key: 'orders', type: 'oneToMany', entity: 'order', mappedBy: 'customer' },
    ],
  },
  'entities/order.json': {
    key: 'order',
    displayField: 'number',
    fields: [
      { key: 'number', type: 'string', required: true, unique: true, maxLength: 8 },
      { key: 'status', type: 'enum', values: ['open', 'done'] },
      { key: 'customer', type: 'manyToOne', entity: 'customer', required: true },
      { key: 'buyer', type: 'manyToOne', entity: 'user' },
    ],
  },
}

/** The lines that check prints, and its exit code. */
export const check = async (
  files: ProjectFiles,
): Promise<{ code: number | null; lines: string[] }> => {
  const directory = await writeProject({ ...definitions, ...files })
  try {
    // A database that does not exist is never contacted.
    const { code, out, err } = await callDocket(['check', '--project', directory], {
      DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none',
    })
    assert.notEqual(out, '', `exit code ${code}: ${err}`)
    return { code, lines: out.trimEnd().split('\n') }
  } finally {
    await rm(directory, { recursive: true, force: true, maxRetries: 10 })
  }
}

/** What it prints of a project that has these files too, without the last line. */
export const findingsOf = async (files: ProjectFiles): Promise<string[]> =>
  (await check(files)).lines.slice(0, -1)
