-- Returns the searchable form of a text (`p_asked`: a question): without accents and differences of width, dots, slashes, underscores and
-- colons as blanks. Where a script has no blanks between words, or agglutinates endings, each pair of neighbours is a word, written in
-- digits so that no locale parts it; a document also has each character alone. Chunks are stored in this form: a change needs a migration
-- that rebuilds their column `search`.
create or replace function searched_text(p_text text, p_asked boolean) returns text
language plpgsql immutable strict parallel safe set search_path = pg_catalog, pg_temp as $$
declare
  -- Thai, Lao, Burmese, Khmer, Japanese, Chinese, Korean
  v_script constant text := '[\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0ecd\u1000-\u103f\u1780-\u17d3\u3005\u3007\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\U00020000-\U000323af]';
  v_marks constant text := '[\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06dc]';
  v_text text := normalize(regexp_replace(normalize(p_text, nfkd), v_marks, '', 'g'), nfkc);
begin
  v_text := replace(translate(v_text, './_:đĐøØłŁħŧı', '    dDoOlLhti'), 'ß', 'ss');
  if v_text !~ v_script then return v_text; end if;
  if p_asked then v_text := regexp_replace(v_text, '(^|\s)-(' || v_script || '+)', '\1-"\2"', 'g'); end if;
  return (
    select string_agg(case when run !~ v_script then run else (
        select string_agg(pair, ' ' order by at) from (
          select at, 'u' || to_hex(ascii(one)) || coalesce('u' || to_hex(ascii(lead(one) over (order by at))), '') as pair, count(*) over () as length
          from string_to_table(run, null) with ordinality as c (one, at)
        ) as pairs where length = 1 or at < length
      ) end, ' ' order by nth)
    from regexp_matches(v_text, v_script || '+|[^' || substr(v_script, 2) || '+', 'g') with ordinality as parts (part, nth)
    cross join lateral (select part[1] as run) as r
  ) || case when p_asked then '' else coalesce(
    (select ' ' || string_agg('u' || to_hex(ascii(part[1])), ' ') from (select distinct part from regexp_matches(v_text, v_script, 'g') as c (part)) as alone), '') end;
end $$;
