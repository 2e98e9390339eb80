/** The pages of the console itself that this user has a use for: in the navigation, the search and the keys. */
import { useRouter } from '@tanstack/react-router'
import { type Texts, useTexts } from '../../texts/texts.ts'
import { type Session, useSession } from './session.ts'

type Place = 'work' | 'user' | 'administration'

/** The entry of a page in navigation, search and keys, as its route has it; without one a page is reached from others. */
type PageOfRoute = {
  /** Where the navigation has it. */
  readonly place: Place
  readonly title: (texts: Texts) => string
  /** The keys that lead to it. */
  readonly keys?: string
  /** Whether the user has a use for it; without it everybody has. */
  readonly isFor?: (session: Session) => boolean
}

declare module '@tanstack/react-router' {
  interface StaticDataRouteOption {
    readonly page?: PageOfRoute
  }
}

type Page = {
  readonly place: Place
  readonly to: string
  readonly label: string
  readonly keys: string | undefined
}

/** In the order of their routes; those of all places, unless one is named. */
export const usePages = (place?: Place): readonly Page[] => {
  const { routesById } = useRouter()
  const texts = useTexts()
  const session = useSession()
  return Object.values(routesById).flatMap(({ fullPath, options }) => {
    const page: PageOfRoute | undefined = options.staticData?.page
    if (!page || (place && page.place !== place) || page.isFor?.(session) === false) return []
    return [{ place: page.place, keys: page.keys, to: fullPath, label: page.title(texts) }]
  })
}
