/** How an invited person comes in without a password: at the identity provider, or by the link itself. */
import { useMutation } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { type AfterSignIn, goOn } from '../../api/own/credentials.ts'
import { acceptInvitation, beginAtIssuer } from '../../api/own/password.ts'
import { Button } from '../../parts/button.tsx'
import { useWorkTexts } from '../../texts/texts.ts'
import { usePasswordFault } from './password-input.tsx'

type CodeProps = { readonly code: string }

const useFault = (error: Error | null): string | undefined => {
  const { passwords: texts } = useWorkTexts()
  const faultOf = usePasswordFault()
  return error ? faultOf(error, { 401: `${texts.unusable} ${texts.unusableHint}` }) : undefined
}

/** Leads to the identity provider, and from there back. `isFirst`: there is no other way. */
export const InvitedAtIssuer = ({
  code,
  isFirst,
}: CodeProps & { readonly isFirst: boolean }): ReactNode => {
  const { passwords: texts } = useWorkTexts()
  const { error, isPending, mutate } = useMutation({
    mutationFn: () => beginAtIssuer(code),
    onSuccess: ({ address }) => window.location.assign(address),
  })
  const fault = useFault(error)
  return (
    <>
      {fault !== undefined && <p role="alert">{fault}</p>}
      <Button look={isFirst ? 'primary' : 'plain'} disabled={isPending} onClick={() => mutate()}>
        {texts.withCompany}
      </Button>
    </>
  )
}

type SignInProps = CodeProps & AfterSignIn & { readonly look: 'plain' | 'primary' }

/** Signs in by the link, where people have no passwords. */
export const SignInInvited = ({ code, look, ...after }: SignInProps): ReactNode => {
  const { signIn } = useWorkTexts()
  const { error, isPending, mutate } = useMutation({
    mutationFn: () => acceptInvitation({ code }),
    onSuccess: (answer) => goOn(answer, after),
  })
  const fault = useFault(error)
  return (
    <>
      {fault !== undefined && <p role="alert">{fault}</p>}
      <Button look={look} disabled={isPending} onClick={() => mutate()}>
        {signIn.withProvider}
      </Button>
    </>
  )
}
