/** The address of the service as people reach it. */
import type { Config } from './load-config.ts'

/** PUBLIC_URL without a slash at its end; undefined where it is not set. */
export const publicUrl = ({ PUBLIC_URL }: Config): string | undefined =>
  PUBLIC_URL?.replace(/\/$/, '')

/** PUBLIC_URL, or else HOST and the port: what a request says of its host is never believed. */
export const publicUrlOf = (config: Config, port: number = config.PORT): string => {
  const { HOST, BASE_PATH } = config
  return (
    publicUrl(config) ?? `http://${HOST.includes(':') ? `[${HOST}]` : HOST}:${port}${BASE_PATH}`
  )
}
