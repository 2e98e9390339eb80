/** What axe finds wrong with the page as it is shown. */
import axe from 'axe-core'

/** Each rule with the element that violates it, in the dialog that covers the page if there is one: nothing below can be reached. */
export const findViolations = async (): Promise<readonly string[]> => {
  const runOnly = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
  // What a popover covers in part is no target until it is closed.
  const hasPopover = document.querySelector(':popover-open') !== null
  const rules = { 'target-size': { enabled: !hasPopover } }
  // Colours fade from one state to the other.
  const fading = document
    .getAnimations()
    .filter(({ effect }) => Number(effect?.getComputedTiming().endTime) < Number.POSITIVE_INFINITY)
  await Promise.allSettled(fading.map(({ finished }) => finished))
  const shown = [...document.querySelectorAll('dialog:modal')].at(-1) ?? document
  const { violations } = await axe.run(shown, { runOnly, rules, resultTypes: ['violations'] })
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`))
}
