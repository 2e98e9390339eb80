/** Compares stored values of calculated fields with what their definitions calculate. */
import { type ComparedField, findDiffering } from '../../schema-sync/calculations/find-differing.ts'
import { printCount, printSome } from '../amounts.ts'
import type { Verdict } from '../check.ts'
import type { DoctorCheck } from './doctor-target.ts'

// Of all fields together. Each has its newest records compared, which processes of an earlier version may have written.
const budgetMs = 20_000

export const calculationCheck: DoctorCheck = {
  name: 'calculated values',
  run: async ({ database, catalog }) => {
    if (!catalog)
      return {
        level: 'unknown',
        value: 'the definitions are missing or have errors',
        advice: 'Compare with --project DIR, where "docket check" finds no error.',
      }
    return judge(await findDiffering(database, catalog, budgetMs))
  },
}

const nameOf = ({ entity, field }: ComparedField): string => `${entity}.${field}`

const judge = (fields: readonly ComparedField[]): Verdict => {
  const wrong = fields.filter(({ differing }) => differing > 0)
  const faulty = fields.filter(({ fault }) => fault !== undefined)
  const facts = { facts: fields }
  if (wrong.length > 0)
    return {
      level: 'fail',
      value: printSome(wrong.map(differences), wrong.length),
      advice:
        'Run "docket migrate --recalculate" when no process of an earlier version runs any more, and no SQL of your own writes what rollups read.',
      ...facts,
    }
  if (faulty.length > 0)
    return {
      level: 'unknown',
      value: `not compared: ${printSome(faulty.map((one) => `${nameOf(one)} (${one.fault})`))}`,
      ...facts,
    }
  return { level: 'ok', value: compared(fields), ...facts }
}

const differences = (one: ComparedField): string => {
  const { differing, ids, isComplete } = one
  const of = isComplete ? '' : ` of the newest ${one.compared}`
  const others = differing > ids.length ? ', …' : ''
  return `${nameOf(one)} differs in ${printCount(differing, 'record')}${of} (${differing === 1 ? 'id' : 'ids'} ${ids.join(', ')}${others})`
}

const compared = (fields: readonly ComparedField[]): string => {
  if (fields.length === 0) return 'no field is calculated'
  const parts = fields.filter(({ isComplete }) => !isComplete)
  const newest = parts.map((one) => `the newest ${one.compared} of ${nameOf(one)}`)
  const known = `${printCount(fields.length, 'field')} as defined`
  return parts.length === 0 ? known : `${known}; compared: ${printSome(newest)}`
}
