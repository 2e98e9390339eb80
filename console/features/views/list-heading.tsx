/** The heading of a list; the title of its tab begins with the view that is open. */
import type { ReactNode } from 'react'
import type { Entity } from '../../api/types.ts'
import type { ListSearch } from '../grid/list-state.ts'
import { PageTitle } from '../session/page-title.tsx'
import { useViews } from './use-views.ts'

type HeadingProps = { readonly entity: Entity; readonly search: ListSearch }

export const ListHeading = ({ entity, search }: HeadingProps): ReactNode => {
  const { isPending, current } = useViews(entity, search)
  const parts = current ? [current.name, entity.pluralName] : [entity.pluralName]
  return (
    <>
      <PageTitle of={isPending && search.view !== undefined ? undefined : parts} />
      <h1 dir="auto">{entity.pluralName}</h1>
    </>
  )
}
