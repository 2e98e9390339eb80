/** A workflow by the actions of its steps: it begins in the first one, and a step without actions is final. */
export const workflowOf = (
  steps: Readonly<Record<string, readonly object[]>>,
  more: object = {},
) => ({
  initialStep: Object.keys(steps)[0] ?? '',
  steps: Object.entries(steps).map(([key, actions]) =>
    actions.length === 0 ? { key, final: true } : { key, actions },
  ),
  ...more,
})
