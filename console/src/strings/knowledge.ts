export const KNOWLEDGE = {
  title: 'Knowledge',
  intro:
    'A corpus holds documents that are searched together; an environment searches those attached to it. `svc knowledge add` registers one.',
  none: 'No corpus is registered here.',
  columns: { name: 'Corpus', source: 'From', state: 'State', size: 'Holds', attached: 'Attached in', index: 'Index' },
  sources: {
    inline: () => 'requests',
    folder: (at: string) => `the folder ${at}`,
    pack: (at: string) => `the pack ${at}`,
  },
  states: { registered: 'never indexed', indexing: 'being indexed', ready: 'fully indexed' },
  pending: (count: number) =>
    count === 1 ? '1 document is not indexed yet' : `${count} documents are not indexed yet`,
  size: (documents: number, chunks: number) =>
    `${documents === 1 ? '1 document' : `${documents} documents`} in ${chunks === 1 ? '1 chunk' : `${chunks} chunks`}`,
  vectors: (count: number) => `${count} with vectors`,
  nowhere: 'nowhere',
  index: 'Index the rest',
  indexing: 'Indexing…',
  problems: 'Not indexed',
  chunk: {
    title: 'A chunk of a document',
    back: 'All corpora',
    at: (corpus: string, from: number, to: number) => `In ${corpus}, lines ${from} to ${to}.`,
    gone: 'This chunk no longer exists: its document has been changed or removed since it was cited.',
  },
  search: {
    title: 'Search',
    corpus: 'In',
    query: 'For',
    submit: 'Search',
    none: 'Nothing was found.',
    hit: (path: string, from: number, to: number) => `${path}, lines ${from} to ${to}`,
    used: { text: 'full text', vectors: 'vectors' },
    refused: (why: string) => `Not searched by vectors: ${why}`,
  },
} as const
