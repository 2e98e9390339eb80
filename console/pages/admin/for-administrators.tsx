/** A page of the administration for those whom the service answers there; for others there is no such page. */
import type { ReactNode } from 'react'
import type { AdministrationPart } from '../../api/types.ts'
import { useSession } from '../../features/session/session.ts'
import { NotFound } from '../not-found.tsx'

type Props = { readonly part: AdministrationPart; readonly children: ReactNode }

export const ForAdministrators = ({ part, children }: Props): ReactNode =>
  useSession().me.administration.includes(part) ? children : <NotFound />
