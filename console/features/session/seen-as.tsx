/** Says as whom the console is seen, with the way back to the user who signed in. */
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { sessionQuery } from '../../api/own/session.ts'
import { Button } from '../../parts/button.tsx'
import { useSeenAsTexts } from '../../texts/seen-as/texts.ts'
import { useSession } from './session.ts'
import { useBecome } from './use-become.ts'
import './seen-as.css'

export const SeenAs = ({ firstId }: { readonly firstId: number }): ReactNode => {
  const texts = useSeenAsTexts()
  const { me } = useSession()
  const session = useQuery(sessionQuery)
  const become = useBecome()
  const first = session.data?.users?.find(({ id }) => id === firstId)
  if (!first) return null
  return (
    <section className="seen-as" aria-label={texts.title}>
      <p>
        {texts.as} <strong dir="auto">{me.full_name ?? me.id}</strong>{' '}
        <small dir="auto">{me.role_name}</small>
      </p>
      {become.error && <p role="alert">{become.error.message}</p>}
      <Button disabled={become.isPending} onClick={() => become.mutate(firstId)}>
        {texts.backTo} <bdi>{first.full_name}</bdi>
      </Button>
    </section>
  )
}
