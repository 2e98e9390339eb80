/** The names of what a bulk write can do; each has a row in bulk-operations.ts. */

export const operationNames = ['change', 'action', 'remove', 'takeOwnership'] as const
export type OperationName = (typeof operationNames)[number]

export const isOperationName = (name: string): name is OperationName =>
  operationNames.some((one) => one === name)
