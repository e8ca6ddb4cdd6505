/** Programs of others that tests and the lab drive. */
export const PROGRAMS = [
  'chromium',
  'prometheus',
  'alertmanager',
  'python3',
  'mcpclient',
  'mcppeers',
  'openaiclient',
  'clientgenerator',
  'postgres15',
  'postgres18',
  'openbao',
  'temporalpython',
  'go',
] as const
export type ProgramName = (typeof PROGRAMS)[number]

/** A program as it is started: `args` and `env` say where its own files are when it does not come from the system. */
export interface Program {
  command: string
  args?: string[]
  env: Record<string, string>
}

/** Why a program cannot be had on this machine, and the command that brings it. */
export interface Missing {
  why: string
  cure: string
}

/** What was found of the programs that somebody needs. */
export type Provided = Partial<Record<ProgramName, Program | Missing>>

export interface ProgramSource {
  /** what a person calls it */
  title: string
  /** environment variable that names the program; nothing else is tried when it is set, and an empty one is not */
  variable: string
  /** what it is called on a PATH, the first one wins */
  names: readonly string[]
  /** what it answers where it runs; default: `--version` */
  question?: string
  /** its package in Debian and Ubuntu */
  debian: string
  /** what follows `brew install` */
  homebrew: string
}

export const SOURCES: Record<ProgramName, ProgramSource> = {
  chromium: {
    title: 'Chromium',
    variable: 'SVC_TEST_CHROMIUM',
    names: ['chromium', 'chromium-browser', 'google-chrome'],
    debian: 'chromium',
    // not its own cask, which Homebrew has disabled; this one does not come on the PATH
    homebrew: `--cask google-chrome && export SVC_TEST_CHROMIUM='/Applications/Google Chrome.app/Contents/MacOS/Google Chrome'`,
  },
  prometheus: {
    title: 'Prometheus',
    variable: 'SVC_TEST_PROMETHEUS',
    names: ['prometheus'],
    debian: 'prometheus',
    homebrew: 'prometheus',
  },
  alertmanager: {
    title: 'Alertmanager',
    variable: 'SVC_TEST_ALERTMANAGER',
    names: ['prometheus-alertmanager', 'alertmanager'],
    debian: 'prometheus-alertmanager',
    homebrew: 'alertmanager',
  },
  python3: {
    title: 'Python 3',
    variable: 'SVC_TEST_PYTHON3',
    names: ['python3'],
    debian: 'python3',
    homebrew: 'python3',
  },
  mcpclient: {
    title: 'the Python client of the Model Context Protocol, and FastMCP',
    variable: 'SVC_TEST_MCP_PYTHON',
    // a Python that has it: no program of its own
    names: [],
    debian: 'python3-venv',
    homebrew: 'python3',
  },
  mcppeers: {
    title: 'the reference server and the conformance suite of the Model Context Protocol',
    variable: 'SVC_TEST_MCP_PEERS',
    // a program that starts both by their name: nothing publishes one
    names: [],
    debian: 'npm',
    homebrew: 'node',
  },
  openaiclient: {
    title: 'the Python clients of OpenAI and LangChain',
    variable: 'SVC_TEST_OPENAI_PYTHON',
    // a Python that has them: no program of its own
    names: [],
    debian: 'python3-venv',
    homebrew: 'python3',
  },
  clientgenerator: {
    title: 'the Python generator of clients',
    variable: 'SVC_TEST_GENERATOR_PYTHON',
    // a Python that has it: no program of its own
    names: [],
    debian: 'python3-venv',
    homebrew: 'python3',
  },
  postgres15: {
    title: 'PostgreSQL 15',
    variable: 'SVC_TEST_POSTGRES_15',
    // beside others of its kind, and so never on a PATH; where a package puts it
    names: ['/usr/lib/postgresql/15/bin/postgres'],
    debian: 'postgresql-15',
    homebrew: 'postgresql@15 && export SVC_TEST_POSTGRES_15="$(brew --prefix postgresql@15)/bin/postgres"',
  },
  postgres18: {
    title: 'the client programs of PostgreSQL 18',
    variable: 'SVC_TEST_POSTGRES_18',
    // its neighbours are used with it; another version's would refuse the server
    names: ['/usr/lib/postgresql/18/bin/pg_dump'],
    debian: 'postgresql-client-18',
    homebrew: 'postgresql@18 && export SVC_TEST_POSTGRES_18="$(brew --prefix postgresql@18)/bin/pg_dump"',
  },
  openbao: {
    title: 'OpenBao',
    variable: 'SVC_TEST_OPENBAO',
    names: ['bao'],
    debian: 'python3-venv',
    homebrew: 'openbao',
  },
  temporalpython: {
    title: 'the Python SDK of Temporal',
    variable: 'SVC_TEST_TEMPORAL_PYTHON',
    // a Python that has it: no program of its own
    names: [],
    debian: 'python3-venv',
    homebrew: 'python3',
  },
  go: {
    title: 'Go',
    variable: 'SVC_TEST_GO',
    names: ['go'],
    question: 'version',
    debian: 'golang-go',
    homebrew: 'go',
  },
}
