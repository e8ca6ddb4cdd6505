import type { SlackMessage } from '#platform/notify/slack-blocks.ts'

interface Text {
  text: string
}

interface AnyBlock {
  type: string
  text?: Text
  fields?: Text[]
  elements?: { text?: Text; style?: string }[]
}

const STYLE = `body{margin:0;padding:16px;font:15px/1.47 Lato,system-ui,sans-serif;color:#1d1c1d;background:#fff}
.m{display:flex;gap:10px;max-width:640px}.a{flex:none;width:36px;height:36px;border-radius:6px;background:#1257a8;color:#fff;text-align:center;line-height:36px;font-weight:700}
b{font-size:15px}h3{font-size:18px;line-height:1.33;margin:4px 0 8px}p{margin:6px 0;white-space:pre-wrap;overflow-wrap:anywhere}
.f{display:grid;grid-template-columns:1fr 1fr;gap:8px 16px;margin:8px 0}.f p{margin:0}pre{background:#f8f8f8;border:1px solid #ddd;border-radius:4px;padding:8px;white-space:pre-wrap;overflow-wrap:anywhere;font-size:12px}
span{display:inline-block;border:1px solid #bbb;border-radius:4px;padding:5px 12px;margin:6px 8px 0 0;font-weight:700}.primary{background:#007a5a;color:#fff;border-color:#007a5a}.danger{background:#e01e5a;color:#fff;border-color:#e01e5a}
@media(max-width:480px){.f{grid-template-columns:1fr}}`

/** A message about as Slack draws its blocks: enough to see what stands where. */
export function slackPicture({ blocks }: SlackMessage): string {
  const shown = (blocks as AnyBlock[]).map(blockHtml).join('\n')
  return `<!doctype html><html><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><style>${STYLE}</style></head>
<body><div class="m"><div class="a">s</div><div><b>svc</b>${shown}</div></div></body></html>`
}

function blockHtml({ type, text, fields, elements }: AnyBlock): string {
  if (type === 'header') return `<h3>${html(text)}</h3>`
  if (fields !== undefined) return `<div class="f">${fields.map((each) => `<p>${html(each)}</p>`).join('')}</div>`
  if (elements !== undefined)
    return `<div>${elements.map((each) => `<span class="${each.style ?? ''}">${html(each.text)}</span>`).join('')}</div>`
  const code = /^```\n([\s\S]*)\n```$/.exec(text?.text ?? '')?.[1]
  return code === undefined ? `<p>${html(text)}</p>` : `<pre>${code}</pre>`
}

/** Slack's own entities are those of HTML. */
function html(text: Text | undefined): string {
  return text?.text ?? ''
}
