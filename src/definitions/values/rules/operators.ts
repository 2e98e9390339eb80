/** The operators of criteria: the service compiles them, and the console reads and writes them. */

export const operatorNames = [
  '$eq',
  '$ne',
  '$gt',
  '$gte',
  '$lt',
  '$lte',
  '$in',
  '$nin',
  '$like',
  '$ilike',
  '$startsWith',
  '$contains',
  '$null',
] as const

export type Operator = (typeof operatorNames)[number]

export const isOperator = (name: string): name is Operator =>
  (operatorNames as readonly string[]).includes(name)
