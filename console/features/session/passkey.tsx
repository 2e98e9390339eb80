/** Passkeys in this browser: making one, signing with one, and why that failed. */
import { useMutation } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { statusOf } from '../../api/client.ts'
import {
  beginPasskeySignIn,
  type CreatedPasskey,
  type CreationOptions,
  type PasskeyProof,
  type SigningOptions,
  signInByPasskey,
} from '../../api/own/credentials.ts'
import { Button } from '../../parts/button.tsx'
import { useWorkTexts } from '../../texts/texts.ts'
import { usePasswordFault } from './password-input.tsx'

/** Why the browser has refused. */
class PasskeyRefusal extends Error {
  readonly reason: 'cancelled' | 'known' | 'failed' | { readonly host: string }

  constructor(reason: PasskeyRefusal['reason']) {
    super('The browser has refused a passkey.')
    this.reason = reason
  }
}

const library = () => import('@simplewebauthn/browser')

const orRefusal = async <T,>(host: string, work: () => Promise<T>): Promise<T> => {
  // Browsers say so in many ways.
  if (window.location.hostname !== host) throw new PasskeyRefusal({ host })
  try {
    return await work()
  } catch (error) {
    const { name, code } = error as { readonly name?: string; readonly code?: string }
    if (code === 'ERROR_AUTHENTICATOR_PREVIOUSLY_REGISTERED') throw new PasskeyRefusal('known')
    const isCancelled = name === 'NotAllowedError' || name === 'AbortError'
    throw new PasskeyRefusal(isCancelled ? 'cancelled' : 'failed')
  }
}

export const makePasskey = async (options: CreationOptions): Promise<CreatedPasskey> => {
  const { startRegistration } = await library()
  const optionsJSON = options as unknown as Parameters<typeof startRegistration>[0]['optionsJSON']
  const { id, response } = await orRefusal(options.rp.id, () => startRegistration({ optionsJSON }))
  const { clientDataJSON, attestationObject, transports = [] } = response
  return { id, client_data: clientDataJSON, attestation: attestationObject, transports }
}

export const signWithPasskey = async (options: SigningOptions): Promise<PasskeyProof> => {
  const { startAuthentication } = await library()
  const { id, response } = await orRefusal(options.rpId, () =>
    startAuthentication({ optionsJSON: options }),
  )
  return {
    id,
    client_data: response.clientDataJSON,
    authenticator_data: response.authenticatorData,
    signature: response.signature,
    user_handle: response.userHandle ?? '',
  }
}

/** Says in a sentence why a passkey was not made, or did not sign in (`isSignIn`). */
export const usePasskeyFault = (isSignIn = false) => {
  const { credentials: texts } = useWorkTexts()
  const faultOf = usePasswordFault()
  return (error: Error): string => {
    if (!(error instanceof PasskeyRefusal)) {
      const isWrong = statusOf(error) === 401 || statusOf(error) === 400
      return isWrong ? texts.wrongPasskey : faultOf(error, { 404: texts.expired })
    }
    const { reason } = error
    if (typeof reason === 'object') return texts.otherHost(reason.host)
    const said = texts.refusals[reason]
    // Browsers report it as they report that a person has cancelled.
    return isSignIn && reason === 'cancelled' ? `${said} ${texts.noPasskeyHere}` : said
  }
}

// The button that signs in with a passkey.

type PasskeyProps = { readonly look: 'plain' | 'primary'; readonly onSignedIn: () => void }

export const PasskeySignIn = ({ look, onSignedIn }: PasskeyProps): ReactNode => {
  const texts = useWorkTexts().credentials
  const faultOf = usePasskeyFault(true)
  const signing = useMutation({
    mutationFn: async () => signInByPasskey(await signWithPasskey(await beginPasskeySignIn())),
    onSuccess: onSignedIn,
  })
  return (
    <>
      {signing.error && <p role="alert">{faultOf(signing.error)}</p>}
      <Button look={look} disabled={signing.isPending} onClick={() => signing.mutate()}>
        {texts.withPasskey}
      </Button>
    </>
  )
}
