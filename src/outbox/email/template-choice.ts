/** Where templates of e-mails come from: files of the project, or templates at the provider. */
import type { Config } from '../../config/load-config.ts'

export type TemplateChoice = {
  /** What template ids refer to. */
  readonly templates: 'project' | 'provider'
  /** Of the variable WORKFLOW_NOTIFICATION_<EMAIL_PROVIDER>_DEFAULT_TEMPLATE_ID. */
  readonly defaultTemplateId: string | undefined
}

const templatesBy: Readonly<Record<Config['EMAIL_PROVIDER'], TemplateChoice['templates']>> = {
  file: 'project',
  smtp: 'project',
  sendgrid: 'provider',
  mailgun: 'provider',
  postmark: 'provider',
  ses: 'provider',
}

/** The choice for a configuration. */
export const templateChoiceOf = (config: Config): TemplateChoice => ({
  templates: templatesBy[config.EMAIL_PROVIDER],
  defaultTemplateId: config[defaultTemplateVariable(config)],
})

/** The name of the variable with the default template. */
export const defaultTemplateVariable = ({ EMAIL_PROVIDER }: Config) => {
  const name = EMAIL_PROVIDER.toUpperCase() as Uppercase<typeof EMAIL_PROVIDER>
  return `WORKFLOW_NOTIFICATION_${name}_DEFAULT_TEMPLATE_ID` as const
}
