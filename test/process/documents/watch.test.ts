/** `docket document --watch` prints after every change and shows every issue, until it is stopped. */
import assert from 'node:assert/strict'
import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { before, test } from 'node:test'
import { callDocket } from '../../support/call-docket.ts'
import { createTestDatabase } from '../../support/database.ts'
import { outcomeOf, spawnDocket, waitFor } from '../../support/docket.ts'
import { readPdf } from '../../support/documents/read-pdf.ts'
import { writeProject } from '../../support/service.ts'
import { until } from '../../support/wait.ts'

let directory: string
let environment: Record<string, string>
before(async () => {
  directory = await writeProject({
    'entities/note.json': { key: 'note', fields: [{ key: 'name', type: 'string', unique: true }] },
    'seed/1-note.json': [{ name: 'Oak' }],
    'seed/2-printable_document.json': [
      { code: 'note', name: 'Note', entity_key: 'note', template_file: 'note.typ' },
    ],
    'printable-documents/note.typ': 'One',
    'printable-documents/part.typ': '#let word = "Three"',
  })
  const { connectionString } = await createTestDatabase()
  environment = { DATABASE_URL: connectionString, PROJECT: directory }
  const { code, err } = await callDocket(['seed'], environment)
  assert.equal(code, 0, err)
})

const templates = () => join(directory, 'printable-documents')

/** Writes a template in one step: the watched folder never contains a part of it. */
const write = async (path: string, text: string) => {
  const draft = join(directory, 'draft')
  await writeFile(draft, text)
  await rename(draft, join(templates(), path))
}

const args = ['document', 'note', '--id', '1']
const printed = /note\.pdf: 1 page, \d+ bytes, \d+ ms\n/

test('it prints immediately, and again after each change of a template or of a file that it imports, and shows issues', async () => {
  // A PDF among the templates, which must not cause endless printing.
  const out = join(templates(), 'note.pdf')
  const child = spawnDocket([...args, '--watch', '--out', out], environment)
  const ended = outcomeOf(child)
  await waitFor(child, / ms\n/)
  /** The output from a change until it matches. */
  const after = async (change: () => Promise<unknown>, pattern: RegExp) => {
    const shown = waitFor(child, pattern)
    await change()
    return shown
  }
  const text = async () => (await readPdf(await readFile(out))).pages.join()
  /** The system may report a change in two steps: a print between them has the text before it. */
  const prints = async (path: string, template: string, expected: string) => {
    await after(() => write(path, template), printed)
    await until(`the PDF contains "${expected}"`, async () => (await text()) === expected)
  }
  assert.equal(await text(), 'One')
  await prints('note.typ', 'Two', 'Two')
  await prints('note.typ', '#import "part.typ": word\n#word', 'Three')
  await prints('part.typ', '#let word = "Four"', 'Four')

  // The last PDF stays.
  const shown = await after(() => write('note.typ', 'Two\n#(1 + "a")'), /\^\n/)
  assert.match(
    shown,
    /note\.typ:2:3: error: cannot add integer and string\n {2}2 \| #\(1 \+ "a"\)\n {4}\| {3}\^{7}\n/,
  )
  assert.equal(await text(), 'Four')
  await prints('note.typ', 'Fixed', 'Fixed')
  // This was more than enough time to print an unchanged template again.
  const beside = [...args, '--out', join(directory, 'beside.pdf')]
  assert.equal((await callDocket(beside, environment)).code, 0)
  await after(
    () => rm(join(templates(), 'note.typ')),
    /there is no file printable-documents\/note\.typ/,
  )
  await prints('note.typ', 'Back', 'Back')

  child.kill('SIGINT')
  const { code, out: all, err } = await ended
  assert.equal(code, 0)
  assert.match(err, /^Watching \S+printable-documents; Ctrl-C stops it\.$/m)
  const listed = (await readdir(templates())).filter((name) => name.includes('note'))
  assert.deepEqual(listed.sort(), ['note.pdf', 'note.typ'])
  const count = all.match(/ ms\n/g)?.length ?? 0
  // One for the start and for each of five changes, or two when the system reports a change in two steps.
  assert.ok(count >= 6 && count <= 11, `It printed ${count} times.`)
})

// Last, because it removes the templates.
test('a project without templates has nothing to watch', async () => {
  await rm(templates(), { recursive: true })
  const { code, out, err } = await callDocket([...args, '--watch'], environment)
  assert.deepEqual([code, out], [1, ''])
  assert.match(err, /printable-documents cannot be watched: /)
})
