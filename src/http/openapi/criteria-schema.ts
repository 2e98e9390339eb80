/** The schemas of query criteria, from the same table of operators that the parser reads. */
import type { Entity } from '../../definitions/catalog.ts'
import type { FieldTypeName } from '../../definitions/field-types.ts'
import { periods } from '../../definitions/values/rules/moving-time-names.ts'
import { operatorNames } from '../../definitions/values/rules/operators.ts'
import { aggregates } from '../../query/criteria/aggregates.ts'
import { criteriaLimits } from '../../query/criteria/criteria-limits.ts'
import { listOperand, valueOperand } from '../../query/criteria/operand.ts'
import { operatorOf } from '../../query/criteria/operators.ts'
import { exampleOf } from './example-value.ts'
import { type Example, type JsonSchema, schemaRef } from './operation.ts'

const value = valueOperand.schema
const list = {
  ...listOperand.schema,
  items: { anyOf: [value, schemaRef('MovingTime')] },
} as const

const conditions: JsonSchema = { type: 'array', items: schemaRef('Where'), minItems: 1 }
const names = (description: string): JsonSchema => ({
  type: 'array',
  description,
  items: { type: 'string', minLength: 1 },
  minItems: 1,
  maxItems: criteriaLimits.names,
})

const turn = (name: string, place: string): JsonSchema => ({
  type: ['string', 'null'],
  maxLength: criteriaLimits.cursor,
  description: `A cursor that an answer with the same entity, \`$where\` and \`$orderBy\` gave as ${name}: the page ${place} The answer has \`next\` and \`previous\`.`,
})

const described = 'Which records, in which order, with which fields. No body means all records.'
const criteriaProperties = {
  $where: schemaRef('Where'),
  $search: {
    type: 'string',
    maxLength: criteriaLimits.searchText,
    description: `Up to ${criteriaLimits.words} words. Each must occur, in upper or lower case, in a text field or in the display field of a linked record, or be the value of a number or the id.`,
  },
  $orderBy: names('Fields or paths; `-` before one for descending. The id is always last.'),
  $select: names('The fields and many-to-one paths to return.'),
}

/** The schemas that search and export refer to. */
export const criteriaSchemas: Readonly<Record<string, JsonSchema>> = {
  Criteria: {
    type: 'object',
    description: described,
    properties: {
      ...criteriaProperties,
      $select: names(
        'The fields and many-to-one paths to return. `_version` is the number of the entity tag: `"<number>"` is the value of `If-Match`.',
      ),
      $count: {
        anyOf: [
          { type: 'boolean' },
          { type: 'integer', minimum: 1, maximum: criteriaLimits.counted },
        ],
        description:
          'Also return `total`, the number of all records that match. With a number the count stops there, and `totalIsExact` says whether more match.',
      },
      $after: turn('`next`', 'begins after it; null: at the first record.'),
      $aggregate: {
        type: 'object',
        description:
          'Functions of fields or paths over all that match: the answer has `aggregate`.',
        properties: Object.fromEntries(
          Object.entries(aggregates).map(([name, { meaning }]) => [name, names(meaning)]),
        ),
        minProperties: 1,
        additionalProperties: false,
      },
      $group: {
        ...names('Fields or paths: the answer has `groups`, each with its values and totals.'),
        maxItems: criteriaLimits.groupedBy,
      },
      $before: turn('`previous`', 'ends before it; null: at the last record.'),
    },
    additionalProperties: false,
  },
  ExportCriteria: {
    type: 'object',
    description: described,
    properties: criteriaProperties,
    additionalProperties: false,
  },
  Where: {
    type: 'object',
    description:
      'Fields, or many-to-one paths such as `supplier.country.code`, with their conditions; all of them must match. Removed records are excluded unless `_is_deleted` is named.',
    properties: {
      $and: { ...conditions, description: 'All of them match.' },
      $or: { ...conditions, description: 'At least one of them matches.' },
      $not: {
        ...schemaRef('Where'),
        description: 'Exactly the records that it does not match. It contains no `$field`.',
      },
    },
    patternProperties: { '^[^$]': schemaRef('Comparison') },
    additionalProperties: false,
  },
  Comparison: {
    description:
      'A value (null: absent), an array for one of them, or operators; for a one-to-many field, what its records have to meet.',
    anyOf: [
      value,
      list,
      schemaRef('OtherField'),
      schemaRef('MovingTime'),
      schemaRef('Operators'),
      schemaRef('ManyRecords'),
    ],
  },
  OtherField: {
    type: 'object',
    description:
      'Another field of the same record, or a many-to-one path, whose value is of the same kind: numbers, texts, days, moments, or ids of the same entity. It never holds where one of both is empty.',
    properties: { $field: { type: 'string', minLength: 1, maxLength: criteriaLimits.name } },
    required: ['$field'],
    additionalProperties: false,
  },
  MovingTime: {
    type: 'object',
    description:
      'A day or a moment for a date or a timestamp, read from the clock when the query runs, in the time zone of the project. It has one of `$today`, `$now` and `$startOf`. A day is all of its moments.',
    properties: {
      $today: { type: 'integer', description: 'Days after today.' },
      $now: {
        anyOf: [{ type: 'string' }, { type: 'integer' }],
        description: 'How long after now, such as `-2 hours`; 0: now.',
      },
      $startOf: { type: 'string', enum: [...periods], description: 'The first day of a period.' },
      $offset: {
        type: 'integer',
        description: 'Of `$startOf`: how many periods after the present one.',
      },
    },
    minProperties: 1,
    additionalProperties: false,
  },
  ManyRecords: {
    type: 'object',
    description:
      'Of a one-to-many field, or a many-to-one path to one. The names within are those of its records; removed ones, and ones that you may not read, do not count.',
    properties: {
      $some: { ...schemaRef('Where'), description: 'At least one of the records meets all of it.' },
      $none: {
        ...schemaRef('Where'),
        description: 'None of the records meets all of it. It contains no `$caller`.',
      },
    },
    minProperties: 1,
    additionalProperties: false,
  },
  Operators: {
    type: 'object',
    description: 'All of them must match.',
    properties: Object.fromEntries(
      operatorNames.map((name) => {
        const { operand, meaning, relation } = operatorOf(name)
        const others = [schemaRef('OtherField'), schemaRef('MovingTime')]
        const operandSchema = relation ? { anyOf: [operand.schema, ...others] } : operand.schema
        return [name, { ...(operand.isList ? list : operandSchema), description: meaning }]
      }),
    ),
    minProperties: 1,
    additionalProperties: false,
  },
}

/** Criteria that fit the entity: one that matches in any database, and one that filters. */
export const criteriaExamples = (entity: Entity): Readonly<Record<string, Example>> => ({
  newest: { summary: 'The newest first', value: { $orderBy: ['-_created_at'] } },
  filtered: {
    summary: 'Filtered',
    value: {
      $where: { ...filterOf(entity), _created_at: { $gte: '2026-01-01 00:00:00' } },
      $orderBy: ['-_updated_at', 'id'],
    },
  },
})

const filterOf = (entity: Entity): Readonly<Record<string, unknown>> => {
  const declared = entity.columns.filter(({ isSystem }) => !isSystem)
  const ofType = (type: FieldTypeName) => declared.find(({ field }) => field.type === type)
  const column =
    ofType('enum') ?? ofType('boolean') ?? declared.find(({ type }) => type.isSearchedByPart)
  const example = column && exampleOf(entity, column)
  if (!column || example === undefined) return {}
  return { [column.name]: column.type.isSearchedByPart ? { $contains: example } : example }
}
