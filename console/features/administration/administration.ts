/** The pages of the administration that this user may open: the service says which. */
import { type Texts, useTexts } from '../../texts/texts.ts'
import { useSession } from '../session/session.ts'

const pages = [
  { part: 'deliveries', to: '/-/admin/deliveries' },
  { part: 'jobs', to: '/-/admin/jobs' },
  { part: 'explain', to: '/-/admin/explain' },
] as const

type Part = (typeof pages)[number]['part'] & keyof Texts['administration']

export type AdminPage = {
  readonly part: Part
  readonly to: (typeof pages)[number]['to']
  readonly label: string
}

export const useAdminPages = (): readonly AdminPage[] => {
  const { administration: texts } = useTexts()
  const { administration } = useSession().me
  return pages
    .filter(({ part }) => administration.includes(part))
    .map((page) => ({ ...page, label: texts[page.part] }))
}
