/** The error that rejects a JSON text. */
import { ApiError } from '../../../src/errors.ts'
import { parseLosslessJson } from '../../../src/http/json/lossless-json.ts'

export const rejectionOf = (text: string): ApiError => {
  try {
    parseLosslessJson(text)
  } catch (error) {
    if (error instanceof ApiError) return error
    throw error
  }
  throw new Error(`Nothing was rejected in ${text.slice(0, 100)}.`)
}
