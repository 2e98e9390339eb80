/** A first start with an embedded server that a signal ends at any moment: a few seconds later nothing of it is left. */
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { spawnDocket, waitFor } from '../../support/docket.ts'
import { untilNothingIsLeft } from '../../support/processes/leftovers.ts'
import { until } from '../../support/wait.ts'

/** In their order: files of `.docket`, and a line of the log. */
const moments = ['postgres.watch', 'postgres/postmaster.pid', /embeddedDatabaseStarted/] as const
const [watched, starting, started] = moments

// Signals that a process can handle have the same handler: one of them is tested at every moment.
for (const [signal, at] of [
  ['SIGTERM', moments],
  ['SIGKILL', moments],
  ['SIGINT', [watched]],
  ['SIGHUP', [starting]],
  ['SIGQUIT', [started]],
] as const)
  for (const moment of at)
    test(`${signal} during a first start leaves nothing, from ${moment} on`, async (t) => {
      const directory = await mkdtemp(join(tmpdir(), 'docket-first-'))
      await writeFile(join(directory, 'docket.json'), '{}')
      const child = spawnDocket(['start', '--port', '0', '--project', directory])
      t.after(async () => {
        child.kill('SIGKILL')
        await rm(directory, { recursive: true, force: true, maxRetries: 5 })
      })
      const ended = once(child, 'exit')
      if (typeof moment === 'string')
        await until(`there is ${moment}`, () => existsSync(join(directory, '.docket', moment)))
      else await waitFor(child, moment)
      child.kill(signal)
      await ended
      await untilNothingIsLeft(directory)
    })
