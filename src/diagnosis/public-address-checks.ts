/** Whether people reach the service at its public address, and whether its limits see their addresses behind a proxy. */
import { type Config, publicUrl } from '../config/load-config.ts'
import { type Check, type Level, type Verdict, verdict } from './check.ts'

type SettingsCheck = Check<{ readonly config: Config }>

const timeoutMs = 10_000
const maxAnswer = 1000

/** What a certificate lacks, by the code of the error: what to say, and whether browsers refuse it too. */
const certificateFaults: Readonly<
  Record<string, { readonly level: Level; readonly text: string }>
> = {
  CERT_HAS_EXPIRED: { level: 'fail', text: 'its certificate has expired' },
  CERT_NOT_YET_VALID: { level: 'fail', text: 'its certificate is not valid yet' },
  ERR_TLS_CERT_ALTNAME_INVALID: { level: 'fail', text: 'its certificate is for another name' },
  // The authority may be one of the company, which browsers of the company know.
  DEPTH_ZERO_SELF_SIGNED_CERT: { level: 'warn', text: 'its certificate is signed by itself' },
  SELF_SIGNED_CERT_IN_CHAIN: { level: 'warn', text: 'this machine does not know its authority' },
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: {
    level: 'warn',
    text: 'this machine does not know its authority',
  },
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: {
    level: 'warn',
    text: 'its chain of certificates is not complete, or this machine does not know its authority',
  },
}

/** What an error of a request says of an address; every address that does not answer is one of these. */
export const judgeFailure = (error: unknown): Verdict => {
  const { name, cause } = error as { name?: string; cause?: { code?: unknown } }
  const code = name === 'TimeoutError' ? 'no answer within 10 s' : String(cause?.code ?? error)
  const fault = certificateFaults[code]
  if (fault)
    return {
      ...fault,
      value: `${fault.text} (${code})`,
      advice:
        fault.level === 'fail'
          ? 'Browsers refuse it: renew the certificate, for the name in PUBLIC_URL.'
          : 'Browsers that do not know the authority refuse it: use a certificate of a public one, or install the authority there, and here with NODE_EXTRA_CA_CERTS.',
    }
  return {
    level: 'warn',
    value: `does not answer here (${code})`,
    advice:
      'Look at the name (DNS), the proxy and the firewall. If people do reach it, this machine only cannot reach its own public address.',
  }
}

const answerOf = async (address: string): Promise<Verdict> => {
  const url = `${address}/api/health/live`
  const answer = await fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(timeoutMs) })
  const location = answer.headers.get('location')
  if (location !== null) {
    await answer.body?.cancel()
    return {
      level: 'fail',
      value: `redirects to ${location.slice(0, 200)}`,
      advice: 'Set PUBLIC_URL to the address that answers, as people enter it.',
    }
  }
  const body = (await answer.text()).slice(0, maxAnswer)
  return verdict(
    body === '{"status":"live"}' ? 'ok' : 'fail',
    body === '{"status":"live"}' ? address : `answers ${answer.status}, and not as Docket does`,
    'The proxy has to pass all paths to the address of HOST and PORT (docs/deploy.md), and the service has to run.',
  )
}

const publicAddress: SettingsCheck = {
  name: 'public address',
  run: async ({ config }) => {
    const address = publicUrl(config)
    if (address === undefined)
      return {
        level: 'unknown',
        value: 'PUBLIC_URL is not set: people use the console on this machine alone',
      }
    return { ...(await answerOf(address).catch(judgeFailure)), facts: { address } }
  },
}

/** The service has no TLS itself, so https is that of a proxy. */
const isBehindProxy = (config: Config) => publicUrl(config)?.startsWith('https:') === true

const proxy: SettingsCheck = {
  name: 'proxy',
  run: async ({ config }) => {
    if (!isBehindProxy(config)) return { level: 'ok', value: 'none for TLS' }
    const { TRUST_PROXY } = config
    return verdict(
      TRUST_PROXY === undefined ? 'warn' : 'ok',
      TRUST_PROXY === undefined ? 'not trusted' : 'trusted',
      'All people share the limits of one address, that of the proxy: set TRUST_PROXY to it, such as 127.0.0.1.',
    )
  },
}

export const publicAddressChecks: readonly SettingsCheck[] = [publicAddress, proxy]
