/** How a time that moves with the clock is told from other values: what the first list of the console needs of it. */
import { isObject } from '../check-value.ts'

export const movingKeys = ['$today', '$now', '$startOf'] as const
export const periods = ['week', 'month', 'quarter', 'year'] as const

/** Whether a value, of any form, has a key of a time that moves. */
export const namesMovingTime = (value: unknown): value is Readonly<Record<string, unknown>> =>
  isObject(value) && movingKeys.some((key) => Object.hasOwn(value, key))
