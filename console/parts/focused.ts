/** The `ref` of what has the focus as soon as it is shown, where a step of a dialog takes the place of another. */
export const focused = (element: HTMLElement | null): void => element?.focus()
