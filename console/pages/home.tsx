/** The first page: leads to the first list that the user may see. */
import { Navigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useSession } from '../features/session/session.ts'
import { NotFound } from './not-found.tsx'

export const Home = (): ReactNode => {
  const { entities } = useSession()
  const first = [...entities.values()].find(
    ({ isNative, permissions }) => !isNative && permissions.read !== false,
  )
  return first ? <Navigate to="/$entity" params={{ entity: first.key }} replace /> : <NotFound />
}
