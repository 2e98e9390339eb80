/** The output of `docket export`: files and progress. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { createTestDatabase, type TestDatabase } from '../../support/database.ts'
import { endedAfterwards, main, outcomeOf, runDocket } from '../../support/docket.ts'
import { assertSentence, runOn, writeThingProject } from './a-given-database.ts'

let database: TestDatabase
let project = ''
before(async () => {
  database = await createTestDatabase()
  project = await writeThingProject()
  const { code, err } = await runOn(project, ['migrate'], database.connectionString)
  assert.equal(code, 0, err)
})
after(async () => {
  await database.drop()
  await rm(project, { recursive: true, force: true, maxRetries: 10 })
})

describe('docket export --out', () => {
  const exportTo = (out: string) =>
    runDocket(['export', 'thing', '--out', out, '--project', project], {
      DATABASE_URL: database.connectionString,
    })

  test('a missing folder and an existing folder are reported before anything starts', async () => {
    assertSentence(await exportTo('/nowhere/x.csv'), /^\/nowhere\/x\.csv cannot be written: ENOENT/)
    assertSentence(await exportTo(project), /^.* is a folder; name a file in it\.\n$/)
  })

  test('a file is written completely, and no part of it is left beside it', async () => {
    const { code, err } = await exportTo(join(project, 'things.csv'))
    assert.equal(code, 0, err)
    assert.match(await readFile(join(project, 'things.csv'), 'utf8'), /^id,name/)
    assert.ok(!existsSync(join(project, 'things.csv.part')))
  })
})

describe('the progress of docket export', () => {
  test('is shown on a terminal when writing a file, and not when rows go into a pipe', async () => {
    const docket = `'${process.execPath}' '${main}' export thing --project '${project}'`
    // `script` provides a terminal, as a user has one.
    const onTerminal = async (command: string) => {
      const child = endedAfterwards(
        spawn('script', ['-qefc', command, '/dev/null'], {
          env: { ...process.env, DATABASE_URL: database.connectionString },
          stdio: ['ignore', 'pipe', 'pipe'],
        }),
      )
      return (await outcomeOf(child)).out
    }
    assert.match(await onTerminal(`${docket} --out '${project}/again.csv'`), /MB\/s/)
    const piped = await onTerminal(`${docket} | head -n 2`)
    assert.match(piped, /^id,name/m)
    assert.doesNotMatch(piped, /MB\/s/)
  })
})
