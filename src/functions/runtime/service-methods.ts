/** The offered services as methods that a function calls from its thread. */
import { ApiError, errorText } from '../../errors.ts'
import type { RpcMethods } from '../../processes/rpc-host.ts'
import type { OfferedServices } from '../function-services.ts'
import type { ServiceName } from './function-messages.ts'

type Method = NonNullable<ReturnType<RpcMethods['get']>>

/** Errors of a method name it. */
export const serviceMethods = (services: OfferedServices): RpcMethods => {
  const methods: Readonly<Record<ServiceName, Method>> = {
    'entityExport.export': async ([entityKey, criteria, format], { signal, sendChunk }) => {
      const request = {
        entityKey: textOf(entityKey, 'entityKey'),
        criteria,
        format: format === undefined ? undefined : textOf(format, 'format'),
      }
      for await (const chunk of services.exportEntity(request, signal)) await sendChunk(chunk)
      return undefined
    },
    'records.find': async ([entityKey, criteria]) =>
      services.findRecords(textOf(entityKey, 'entityKey'), criteria),
    'documents.render': async ([code, entityKey, entityId]) =>
      services.renderDocument(
        textOf(code, 'code'),
        textOf(entityKey, 'entityKey'),
        idOf(entityId, 'entityId'),
      ),
  }
  return new Map(Object.entries(methods).map(([name, method]) => [name, withName(name, method)]))
}

const withName =
  (name: string, method: Method): Method =>
  async (args, context) => {
    try {
      return await method(args, context)
    } catch (error) {
      throw new Error(`services.${name}: ${wholeText(error)}`)
    }
  }

const textOf = (value: unknown, name: string): string => {
  if (typeof value === 'string') return value
  throw new Error(`${name} must be a string, not ${typeof value}`)
}

const idOf = (value: unknown, name: string): number => {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return value
  throw new Error(`${name} must be a whole number, not ${typeof value}`)
}

/** The error with each of its issues. */
const wholeText = (error: unknown): string =>
  error instanceof ApiError && error.errors.length > 1
    ? error.errors.map(({ path, message }) => `${path} ${message}`).join('; ')
    : errorText(error)
