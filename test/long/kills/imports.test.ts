/**
 * Imports while the process of the service is killed in each of their phases, a hundred times with TEST_KILLS=100: what is written is
 * what the committed batches say, each row once, and everything goes on after a restart.
 */
import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { sweepImports } from '../../../src/import/run-list.ts'
import { entityFile } from '../../support/definitions/files.ts'
import { administrator, type DocketProcess, startDocket } from '../../support/docket-process.ts'
import { killsOf, makeJobsDue, newRandom } from '../../support/processes/a-notification-project.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { until } from '../../support/wait.ts'

const phases = ['receiving', 'reading', 'checking', 'writing', 'undoing'] as const
type Phase = (typeof phases)[number]

const files = entityFile('item', [
  { key: 'code', type: 'string', unique: true },
  { key: 'amount', type: 'integer' },
])

/** Records that exist before, and that each import of a lane changes. */
const known = 100

const insertKnown = ({ pool }: DocketProcess, lane: number) =>
  pool.query(
    `INSERT INTO records.item (code, amount, _created_by, _updated_by)
     SELECT $1 || n, 0, 1, 1 FROM generate_series(1, $2::integer) n`,
    [`K${lane}-`, known],
  )

const fileOf = (name: string, lane: number, rows: number): string => {
  const lines = Array.from({ length: rows }, (_, at) => `${name}-${at},${at + 1}`)
  for (let n = 1; n <= known; n++)
    lines.splice(Math.floor((n * rows) / known), 0, `K${lane}-${n},${n}`)
  return ['code,amount', ...lines].join('\n')
}

const send = (
  { url, tokenOf }: DocketProcess,
  name: string,
  body: string | ReadableStream<Uint8Array>,
) =>
  fetch(`${url}/item/import?mode=insertOrUpdate&match=code&allOrNothing=false&file=${name}`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${tokenOf(administrator)}`, 'Content-Type': 'text/csv' },
    body,
    ...(body instanceof ReadableStream && { duplex: 'half' as const }),
  })

/** An upload that ends with its signal alone: what reads it does not notice that its connection is lost. */
const endless = (signal: AbortSignal) =>
  new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      await delay(5)
      if (signal.aborted) controller.close()
      else controller.enqueue(new TextEncoder().encode('code,amount\n'.padEnd(16_384, 'X,1\n')))
    },
  })

type Facts = Readonly<{
  id: number
  state: string
  error: string | null
  place: number
  created: number
  changed: number
  written: number
  codes: number
  removed: number
  noted: number
  creates: number
  removals: number
  differing: number
  /** Whether a process works on it. */
  is_running: boolean
}>

/** What the run says and what is there, in one snapshot. */
const factsOf = async ({ pool }: DocketProcess, name: string, lane: number) => {
  const { rows } = await pool.query<Facts>(
    `SELECT r.id, r.state, r.error, r.place, r.created, r.changed, i.*, h.*, k.*,
       (SELECT count(*)::integer FROM docket.import_record w WHERE w.import_id = r.id) AS noted,
       r.state = 'reading' OR EXISTS (
         SELECT FROM docket.job j
         WHERE j.kind = 'import.run' AND j.status = 'running' AND (j.payload ->> 'import_id')::integer = r.id
       ) AS is_running
     FROM docket.import_run r
     CROSS JOIN LATERAL (
       SELECT count(*)::integer AS written, count(DISTINCT i.code)::integer AS codes,
         count(*) FILTER (WHERE i._is_deleted)::integer AS removed
       FROM records.item i WHERE i.code LIKE $1 || '-%'
     ) i
     CROSS JOIN LATERAL (
       SELECT count(*) FILTER (WHERE h.operation = 'create')::integer AS creates,
         count(*) FILTER (WHERE h.operation = 'remove')::integer AS removals
       FROM docket.history h JOIN records.item i ON i.id = h.entity_id
       WHERE h.entity_key = 'item' AND i.code LIKE $1 || '-%'
     ) h
     CROSS JOIN LATERAL (
       SELECT count(*)::integer AS differing FROM records.item i WHERE i.code LIKE $2 AND i.amount <> 0
     ) k
     WHERE r.file_name = $1`,
    [name, `K${lane}-%`],
  )
  return rows[0]
}

/** Rows of the batches that are committed; while it is checked, its place counts the checks. */
const done = ({ state, place }: Facts): number => (state === 'checking' ? 0 : place)

const assertWhole = (facts: Facts, seed: number): void => {
  const { state, created, changed, written, codes, removed, noted, creates, removals } = facts
  const isUndone = state === 'undoing' || state === 'undone'
  assert.deepEqual(
    { seed, written, codes, creates, removals, done: done(facts) },
    {
      seed,
      written: created,
      codes: created,
      creates: created,
      removals: removed,
      done: created + changed,
    },
  )
  if (!isUndone) assert.deepEqual([removed, facts.differing], [0, changed])
  assert.equal(noted, created + changed - (isUndone ? removed + (changed - facts.differing) : 0))
}

/** Imports of one user, one after the other: each is written, and then undone. */
const createLane = (docket: DocketProcess, lane: number, random: () => number, seed: number) => {
  let [name, count] = ['', 0]
  const ask = (method: string, path: string) => docket.ask(administrator, method, path)
  const forget = async ({ id }: Facts) => {
    await ask('DELETE', `/api/imports/${id}`)
    await docket.pool.query(
      `WITH gone AS (DELETE FROM records.item WHERE code LIKE $1 || '-%' RETURNING id)
       DELETE FROM docket.history h USING gone g WHERE h.entity_key = 'item' AND h.entity_id = g.id`,
      [name],
    )
    name = ''
  }
  return {
    facts: async () => (name === '' ? undefined : factsOf(docket, name, lane)),
    /** Does what comes next, if it waits for that. */
    goOn: async () => {
      const facts = name === '' ? undefined : await factsOf(docket, name, lane)
      if (!facts) {
        const next = `L${lane}-${++count}`
        const rows = Math.floor(200 * 60 ** random())
        const { status } = await send(docket, next, fileOf(next, lane, rows))
        assert.ok(status === 202 || status === 503, `${seed}: ${status}`)
        name = status === 202 ? next : ''
      } else if (facts.state === 'done') {
        assertWhole(facts, seed)
        assert.equal((await ask('POST', `/api/imports/${facts.id}/undo`)).status, 202)
      } else if (facts.state === 'undone') {
        assertWhole(facts, seed)
        assert.deepEqual([facts.removed, facts.differing], [facts.created, 0])
        await forget(facts)
      } else if (facts.state === 'failed') {
        assert.match(String(facts.error), /send the file again/)
        assert.equal(facts.written, 0)
        await forget(facts)
      } else assert.notEqual(facts.state, 'stopped', `${seed}: ${facts.error}`)
    },
  }
}

/** What follows when the process has ended for a while. */
const letTimePass = async ({ pool }: DocketProcess): Promise<void> => {
  await pool.query(`UPDATE docket.job SET due_at = now() WHERE status = 'running'`)
  await pool.query(
    `UPDATE docket.import_run SET updated_at = now() - interval '1 hour' WHERE state = 'reading'`,
  )
  await sweepImports(pool)
}

const kills = killsOf(10)
/** So many that most phases are there whenever the process is killed. */
const laneNumbers = [1, 2, 3, 4, 5]

test('imports that are killed in each phase write each row once, and go on', async () => {
  const folder = temporaryFolder()
  const docket = await startDocket({ files, users: {}, environment: { TMPDIR: folder } })
  const { seed, random } = newRandom()
  const lanes = laneNumbers.map((lane) => createLane(docket, lane, random, seed))
  for (const lane of laneNumbers) await insertKnown(docket, lane)
  const killed = Object.fromEntries(phases.map((phase) => [phase, 0])) as Record<Phase, number>
  const isIn = async (phase: Phase) =>
    phase === 'receiving' ||
    (await Promise.all(lanes.map(({ facts }) => facts()))).some(
      (one) => one?.state === phase && one.is_running,
    )
  while (phases.some((phase) => killed[phase] < kills)) {
    const wanted = phases.toSorted((one, other) => killed[one] - killed[other])[0] as Phase
    const sending = new AbortController()
    const receiving = send(docket, 'endless', endless(sending.signal)).catch(() => undefined)
    await until(`${wanted} (${seed})`, async () => {
      await makeJobsDue(docket.pool)
      for (const { goOn } of lanes) await goOn()
      return isIn(wanted)
    })
    await delay(random() ** 2 * 150)
    await docket.kill()
    await receiving
    sending.abort()
    killed.receiving += 1
    for (const { facts } of lanes) {
      const found = await facts()
      if (!found) continue
      assertWhole(found, seed)
      if (found.is_running && found.state in killed) killed[found.state as Phase] += 1
    }
    assert.deepEqual(
      readdirSync(folder).filter((one) => one.includes('import')),
      [],
    )
    await letTimePass(docket)
    await docket.startAgain()
  }
  // Lanes without an import start none.
  await until('all are undone', async () => {
    await makeJobsDue(docket.pool)
    let isUndone = true
    for (const { facts, goOn } of lanes) {
      const found = await facts()
      if (!found) continue
      isUndone = false
      await goOn()
    }
    return isUndone
  })
  console.log(`seed ${seed}: killed`, killed)
  assert.equal(await docket.stop(), 0)
})
