-- Knowledge: corpora of documents that a workspace searches. The text of a document stands in its chunks; `content` holds one that was
-- handed in, until it is indexed.
create table knowledge_corpora (
  id text primary key check (starts_with(id, 'cor_') and length(id) = 30),
  workspace_id text not null references workspaces,
  name text not null check (name ~ '^[a-z0-9][a-z0-9_-]{0,63}$'),
  source jsonb not null check (jsonb_typeof(source) = 'object'),
  -- counts how often its documents were listed: a list that was made before the last one does not count
  version integer not null default 0,
  problems jsonb not null default '[]' check (jsonb_typeof(problems) = 'array'),
  author text not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  listed_at timestamptz,
  constraint knowledge_corpora_by_name unique (workspace_id, name),
  constraint knowledge_corpora_of_workspace unique (workspace_id, id)
);
call lock_to_workspace('knowledge_corpora');

create table knowledge_documents (
  workspace_id text not null,
  corpus_id text not null,
  path text not null check (path <> '' and length(path) <= 255),
  -- of what is to be indexed
  digest text not null,
  size_bytes integer not null check (size_bytes between 0 and 1048576),
  state text not null default 'pending' check (state in ('pending', 'indexed')),
  content text,
  chunks integer not null default 0,
  indexed_at timestamptz,
  primary key (workspace_id, corpus_id, path),
  foreign key (workspace_id, corpus_id) references knowledge_corpora (workspace_id, id) on delete cascade,
  constraint knowledge_documents_keep_text_once check (state = 'pending' or content is null)
);
create index knowledge_documents_pending on knowledge_documents (workspace_id, corpus_id) where state = 'pending';
call lock_to_workspace('knowledge_documents');

create table knowledge_chunks (
  workspace_id text not null,
  corpus_id text not null,
  path text not null,
  ordinal integer not null check (ordinal >= 0),
  from_line integer not null check (from_line > 0),
  to_line integer not null,
  heading text,
  text text not null check (length(text) <= 2000),
  digest text not null,
  -- dots, slashes, underscores and colons join words in names and addresses, and part them here, as they do in questions
  search tsvector not null generated always as (
    setweight(to_tsvector('english', translate(coalesce(heading, ''), './_:', '    ')), 'A')
    || setweight(to_tsvector('english', translate(path, './_:', '    ')), 'C')
    || setweight(to_tsvector('english', translate(text, './_:', '    ')), 'D')) stored,
  -- the model that made the vector, the vector, and its signs: those are compared first
  embedded_by text,
  embedding real[],
  signs bit varying,
  primary key (workspace_id, corpus_id, path, ordinal),
  foreign key (workspace_id, corpus_id, path) references knowledge_documents (workspace_id, corpus_id, path) on delete cascade,
  constraint knowledge_chunks_lines check (to_line >= from_line),
  constraint knowledge_chunks_vector_whole check (
    (embedding is null) = (embedded_by is null) and (embedding is null) = (signs is null)
    and (embedding is null or length(signs) = cardinality(embedding)))
);
create index knowledge_chunks_search on knowledge_chunks using gin (search);
call lock_to_workspace('knowledge_chunks');
