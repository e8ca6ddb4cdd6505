import ReactMarkdown, { type Components } from 'react-markdown'
import gfm from 'remark-gfm'
import { STRINGS } from '../strings.ts'

/** Nothing of it is fetched, and none of it is markup: what a step or a model has read may say anything. */
const PARTS: Components = {
  img: ({ alt, src }) => (
    <span className="text-muted-foreground">{STRINGS.run.image([alt, src].filter(Boolean).join(', '))}</span>
  ),
  // addresses with scripts were removed before
  a: ({ href, children }) =>
    href === undefined || href === '' ? (
      children
    ) : (
      <a href={href} target="_blank" rel="noreferrer noopener" className="break-all link">
        {children}
      </a>
    ),
  h1: ({ children }) => <h4 className="mt-3 text-lg font-semibold">{children}</h4>,
  h2: ({ children }) => <h5 className="mt-3 font-semibold">{children}</h5>,
  h3: ({ children }) => <h6 className="mt-2 font-medium">{children}</h6>,
  p: ({ children }) => <p className="my-2">{children}</p>,
  ul: ({ children }) => <ul className="my-2 list-disc pl-6">{children}</ul>,
  ol: ({ children }) => <ol className="my-2 list-decimal pl-6">{children}</ol>,
  table: ({ children }) => (
    <div className="my-2 overflow-x-auto">
      <table className="text-left">{children}</table>
    </div>
  ),
  th: ({ children }) => <th className="border px-2 py-1">{children}</th>,
  td: ({ children }) => <td className="border px-2 py-1 align-top">{children}</td>,
  pre: ({ children }) => <pre className="my-2 whitespace-pre-wrap break-words rounded bg-muted p-2">{children}</pre>,
}

interface Props {
  text: string
  /** renders a link that does not lead outside */
  link?: Components['a']
}

/** Foreign Markdown. Only lazily loaded pages may import it. */
export function Markdown({ text, link }: Props) {
  return (
    <ReactMarkdown remarkPlugins={[gfm]} components={link === undefined ? PARTS : { ...PARTS, a: link }}>
      {text}
    </ReactMarkdown>
  )
}
