/** Pages that are files of their own. */
import { type ComponentType, createElement, use } from 'react'

/**
 * A page that is loaded when it is opened, or before that by `preload`. If it cannot be loaded `PageProblem` is shown; the
 * function of the router would load the browser's page again, which is lost then while the service is away.
 */
export const lazyPage = <N extends string>(
  load: () => Promise<Readonly<Record<N, ComponentType>>>,
  name: N,
) => {
  let page: ComponentType | undefined
  let loading: Promise<void> | undefined
  const preload = () =>
    (loading ??= load().then((file) => {
      page = file[name]
    }))
  return Object.assign(
    () => {
      if (!page) use(preload())
      return page && createElement(page)
    },
    { preload },
  )
}
