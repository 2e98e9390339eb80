/** The template of digests: what was held for a person, in one e-mail. */
import { builtInTexts } from '../../templates/built-in-texts.ts'

/** In the language of its reader. */
export const digestTemplate = (locale?: string): string => {
  const { mail, digest: says } = builtInTexts(locale)
  return `---
subject: "${says.subject}"
---
<mjml>
  <mj-head>
    <mj-title>${says.subject}</mj-title>
    <mj-attributes>
      <mj-all font-family="Helvetica, Arial, sans-serif" color="#1f2933" />
      <mj-text font-size="16px" line-height="24px" />
    </mj-attributes>
  </mj-head>
  <mj-body background-color="#f4f5f7">
    <mj-section background-color="#ffffff" padding="32px 16px">
      <mj-column>
        <mj-text>${mail.dear}</mj-text>
        <mj-raw>{% for item in items %}</mj-raw>
        <mj-text font-weight="bold" padding-bottom="0">{% if item.url %}<a href="{{ item.url }}" style="color:#1f5fbf">{{ item.title }}</a>{% else %}{{ item.title }}{% endif %}</mj-text>
        <mj-text font-size="12px" line-height="18px" color="#6b7280" padding-top="0" padding-bottom="0">{{ item.entity }} · {{ item.at | local_date }}{% if item.has_files %} · ${says.files}{% endif %}</mj-text>
        <mj-text padding-top="0">{{ item.message | escape | newline_to_br | raw }}</mj-text>
        <mj-raw>{% endfor %}{% if more > 0 %}</mj-raw>
        <mj-text>${says.more}</mj-text>
        <mj-raw>{% endif %}</mj-raw>
      </mj-column>
    </mj-section>
    <mj-section padding="16px">
      <mj-column>
        <mj-text font-size="12px" line-height="18px" color="#6b7280"><a href="{{ settings_url }}" style="color:#6b7280">${says.settings}</a> · <a href="{{ unsubscribe_url }}" style="color:#6b7280">${mail.unsubscribe}</a></mj-text>
      </mj-column>
    </mj-section>
  </mj-body>
</mjml>
`
}
