/** The pages of the administration that this user may open: the service says which. */
import type { AdministrationPart } from '../../api/types.ts'
import { useTexts } from '../../texts/texts.ts'
import { useSession } from './session.ts'

const pages = [
  { name: 'deliveries', to: '/-/admin/deliveries' },
  { name: 'jobs', to: '/-/admin/jobs' },
  { name: 'explain', to: '/-/admin/explain' },
  { name: 'definitions', to: '/-/admin/definitions' },
  { name: 'roles', to: '/-/admin/roles' },
  { name: 'mail', to: '/-/admin/mail' },
] as const

type PageName = (typeof pages)[number]['name']

// They are made of the same answers as the definitions.
const partOf = (name: PageName): AdministrationPart => (name === 'roles' ? 'definitions' : name)

export type AdminPage = {
  readonly to: (typeof pages)[number]['to']
  readonly label: string
}

export const useAdminPages = (): readonly AdminPage[] => {
  const { administration: texts } = useTexts()
  const { administration } = useSession().me
  return pages
    .filter(({ name }) => administration.includes(partOf(name)))
    .map(({ name, to }) => ({ to, label: texts[name] }))
}
