/** The public address of the service. */
import type { Config } from './load-config.ts'

/** PUBLIC_URL without a slash at its end; undefined when it is not set. */
export const publicUrl = ({ PUBLIC_URL }: Config): string | undefined =>
  PUBLIC_URL?.replace(/\/$/, '')

/** PUBLIC_URL, or HOST and the port; the Host header of a request is never trusted. */
export const publicUrlOf = (config: Config, port: number = config.PORT): string => {
  const { HOST, BASE_PATH } = config
  return (
    publicUrl(config) ?? `http://${HOST.includes(':') ? `[${HOST}]` : HOST}:${port}${BASE_PATH}`
  )
}
