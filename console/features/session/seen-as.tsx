/** Says as whom the console is seen, with the way back to the user who signed in. */
import type { ReactNode } from 'react'
import type { NamedUser } from '../../api/types.ts'
import { Button } from '../../parts/button.tsx'
import { useWorkTexts } from '../../texts/texts.ts'
import { RoleBesideName } from './role-beside-name.tsx'
import { useSession } from './session.ts'
import { useBecome } from './use-become.ts'
import './seen-as.css'

/** `first` is who signed in, however many users they became since. */
export const SeenAs = ({ first }: { readonly first: NamedUser }): ReactNode => {
  const texts = useWorkTexts().seenAs
  const { me } = useSession()
  const become = useBecome()
  return (
    <section className="seen-as" aria-label={texts.title}>
      <p>
        {texts.as} <strong dir="auto">{me.full_name ?? me.id}</strong> <RoleBesideName user={me} />
      </p>
      {become.error && <p role="alert">{become.error.message}</p>}
      <Button disabled={become.isPending} onClick={() => become.mutate(first.id)}>
        {texts.backTo} <bdi>{first.full_name ?? first.id}</bdi>
      </Button>
    </section>
  )
}
