/** The export: its rate beside psql, its memory, its first byte, and what it does to its neighbours. */
import { rounded } from '../figures.ts'
import type { Note, Place } from '../place.ts'
import type { Table } from '../report.ts'
import { hasProgram } from '../run-program.ts'
import { compareFormats } from './compare-formats.ts'
import { compareWithPsql } from './compare-with-psql.ts'
import { measureMemory } from './measure-memory.ts'
import { measureNeighbours } from './measure-neighbours.ts'

/** Runs every measurement of the export; memory first, while the process is fresh. */
export const benchExport = async (
  place: Place,
  rows: number,
  note: Note,
): Promise<readonly Table[]> => {
  if (!(await hasProgram('curl'))) throw new Error('curl is missing; install it first.')
  const hasPsql = await hasProgram('psql')
  if (!hasPsql) note('psql is missing: no comparison (apt-get install postgresql-client).\n')
  const tables: Table[] = []
  const steps = [
    ['memory', measureMemory],
    ...(hasPsql ? ([['rate beside psql', compareWithPsql]] as const) : []),
    ['neighbours', measureNeighbours],
    ['formats', compareFormats],
  ] as const
  for (const [name, measure] of steps) {
    const begun = performance.now()
    tables.push(await measure(place, rows))
    note(`Measured ${name} in ${rounded((performance.now() - begun) / 1000)} s.\n`)
  }
  return tables
}
