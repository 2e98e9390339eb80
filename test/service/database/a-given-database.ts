/** A small project, commands on a given database, and the sentence that they fail with. */
import assert from 'node:assert/strict'
import { callDocket } from '../../support/call-docket.ts'
import type { Outcome } from '../../support/docket.ts'
import { writeProject } from '../../support/service.ts'

/** Writes the project, and returns its folder. */
export const writeThingProject = (): Promise<string> =>
  writeProject({
    'entities/thing.json': { key: 'thing', fields: [{ key: 'name', type: 'string' }] },
  })

/** Calls a command of the project on the database of an address. A start that gets this far would end the process. */
export const runOn = (
  project: string,
  args: readonly string[],
  url: string,
  wait = '0',
): Promise<Outcome> =>
  callDocket([...args, '--project', project], {
    DATABASE_URL: url,
    DATABASE_WAIT_SECONDS: wait,
    PORT: '0',
  })

/** Asserts that a command fails with a sentence, and without a stack. */
export const assertSentence = ({ code, err, out }: Outcome, sentence: RegExp): void => {
  assert.match(err, sentence)
  assert.equal(code, 1)
  assert.equal(out, '')
  assert.doesNotMatch(err, /\n\s+at |node_modules|\.ts:/, 'no stack')
}
