/** The answer of a search: its page, and what its criteria ask for beside it. */
import { dataText, type JsonText } from '../http/endpoint/declaration.ts'
import { component, type JsonSchema, objectOf } from '../http/openapi/operation.ts'
import { aggregates } from '../query/criteria/aggregates.ts'
import { criteriaLimits } from '../query/criteria/criteria-limits.ts'
import type { searchRecords } from './read-records.ts'

type Found = Awaited<ReturnType<typeof searchRecords>>

/** The answer as it is sent. */
export const foundText = ({ records, count, neighbours, totals }: Found): JsonText => {
  const members: Readonly<Record<string, string | undefined>> = {
    total: printed(count?.total),
    totalIsExact: printed(count?.isExact),
    next: printed(neighbours?.next),
    previous: printed(neighbours?.previous),
    aggregate: totals?.aggregate,
    groups: totals?.groups && `[${totals.groups.join(',')}]`,
    groupsAreComplete: printed(totals?.groupsAreComplete),
  }
  const given = Object.entries(members).filter(([, text]) => text !== undefined)
  return dataText(records, given.map(([name, text]) => `,"${name}":${text}`).join(''))
}

const printed = (value: number | boolean | string | null | undefined): string | undefined =>
  value === undefined ? undefined : JSON.stringify(value)

const selectedFields = component('SelectedFields', {
  type: 'object',
  description: 'With `$select`: only what it names, a path as an object inside.',
  properties: {
    _version: {
      type: 'integer',
      minimum: 1,
      description: 'Where `$select` names it: the number of the entity tag.',
    },
  },
})

const cursor = (description: string): JsonSchema => ({
  type: ['string', 'null'],
  description: `With \`$after\` or \`$before\`: ${description}`,
})

const results = {
  count: { type: 'integer', minimum: 0, description: 'The number of records.' },
  ...Object.fromEntries(
    Object.entries(aggregates).map(([name, { meaning }]) => [
      name,
      {
        type: 'object',
        description: `${meaning} By field or path; null without values.`,
        additionalProperties: true,
      },
    ]),
  ),
}

const totals = component('Totals', { ...objectOf(results), required: ['count'] })

const groupTotals = component('GroupTotals', {
  ...objectOf({
    key: {
      type: 'object',
      description: 'The values by field or path.',
      additionalProperties: true,
    },
    ...results,
  }),
  required: ['key', 'count'],
})

/** One page of a search, whose `$select` may name other fields. */
export const foundPage = (record: JsonSchema): JsonSchema => ({
  ...objectOf({
    data: { type: 'array', items: { anyOf: [record, selectedFields] } },
    total: {
      type: 'integer',
      minimum: 0,
      description: 'With `$count`: all that match, at most its limit.',
    },
    totalIsExact: {
      type: 'boolean',
      description: 'With a limit in `$count`: whether no more records match than `total`.',
    },
    next: cursor('`$after` of the next page; null on the last page.'),
    previous: cursor('`$before` of the previous page; null on the first page.'),
    aggregate: { ...totals, description: 'With `$aggregate`: of all that match.' },
    groups: {
      type: 'array',
      maxItems: criteriaLimits.groups,
      items: groupTotals,
      description: 'With `$group`: all that match by equal values, in the order of these.',
    },
    groupsAreComplete: {
      type: 'boolean',
      description: `With \`$group\`: false if there are more than ${criteriaLimits.groups} groups.`,
    },
  }),
  required: ['data'],
})
