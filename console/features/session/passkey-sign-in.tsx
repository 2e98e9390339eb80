/** The button that signs in with a passkey. */
import { useMutation } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { beginPasskeySignIn, signInByPasskey } from '../../api/own/credentials.ts'
import { Button } from '../../parts/button.tsx'
import { useWorkTexts } from '../../texts/texts.ts'
import { signWithPasskey, usePasskeyFault } from './passkey.ts'

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
