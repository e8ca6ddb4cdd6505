/** Functions of `pg_catalog` that are called stable or immutable and act all the same, or run what their arguments name. */
const ACTING = names(`
  txid_current pg_current_xact_id
  table_to_xml table_to_xmlschema table_to_xml_and_xmlschema schema_to_xml schema_to_xmlschema schema_to_xml_and_xmlschema
  database_to_xml database_to_xmlschema database_to_xml_and_xmlschema
  pg_input_is_valid pg_input_error_info domain_in domain_recv array_in array_recv anyarray_recv record_in record_recv
  range_in range_recv multirange_in multirange_recv fmgr_c_validator fmgr_internal_validator fmgr_sql_validator`)

/** Functions of `pg_catalog` that are known to act, and refused without asking a server. */
const KNOWN_TO_ACT =
  /^(nextval|setval|setseed|set_config|pg_notify|pg_sleep(_for|_until)?|pg_(cancel|terminate)_backend|pg_(try_)?advisory_\w+|lo_(close|creat|create|export|from_bytea|get|import|lseek(64)?|open|put|tell(64)?|truncate(64)?|unlink)|loread|lowrite|(query|cursor)_to_xml\w*|pg_reload_conf|pg_switch_wal|pg_promote|pg_rotate_logfile|pg_stat_reset\w*|pg_(read|stat)_\w*file|pg_ls_\w+|pg_export_snapshot|pg_logical_\w+|pg_replication_\w+|pg_(create|drop|copy)_\w*replication_slot|binary_upgrade_\w+)$/

/** Functions of `pg_catalog` that are called volatile and do nothing but answer. */
const HARMLESS = names(`
  random random_normal gen_random_uuid uuidv4 uuidv7 array_sample array_shuffle clock_timestamp timeofday current_query currval lastval
  pg_relation_size pg_table_size pg_indexes_size pg_total_relation_size pg_database_size pg_tablespace_size
  pg_lock_status pg_blocking_pids pg_safe_snapshot_blocking_pids pg_prepared_xact pg_notification_queue_usage
  pg_is_in_recovery pg_is_wal_replay_paused pg_get_wal_replay_pause_state pg_current_wal_lsn pg_current_wal_insert_lsn pg_current_wal_flush_lsn
  pg_last_wal_receive_lsn pg_last_wal_replay_lsn pg_last_xact_replay_timestamp pg_last_committed_xact pg_xact_commit_timestamp pg_xact_commit_timestamp_origin
  pg_xact_status txid_status pg_get_multixact_members pg_get_wal_resource_managers pg_get_wal_summarizer_state pg_show_replication_origin_status
  pg_replication_origin_progress pg_partition_tree pg_partition_ancestors pg_sequence_last_value pg_get_sequence_data pg_collation_actual_version
  pg_database_collation_actual_version pg_control_checkpoint pg_control_init pg_control_recovery pg_control_system pg_current_logfile
  pg_show_all_file_settings pg_hba_file_rules pg_ident_file_mappings pg_get_wait_events pg_get_aios pg_get_backend_memory_contexts pg_get_shmem_allocations
  pg_get_loaded_modules pg_stat_have_stats`)

/** Reads one of the server's counters. */
const COUNTER = /^pg_stat_get_\w+$/

/** Volatile functions of extensions that do nothing but answer. */
const HARMLESS_IN: Record<string, Set<string>> = {
  pg_stat_statements: names('pg_stat_statements pg_stat_statements_info'),
  pgstattuple: names('pgstattuple pgstattuple_approx pgstatindex pgstatginindex pgstathashindex pg_relpages'),
  pg_buffercache: names('pg_buffercache_pages pg_buffercache_summary pg_buffercache_usage_counts'),
  pg_freespacemap: names('pg_freespace'),
  pg_visibility: names('pg_visibility pg_visibility_map pg_visibility_map_summary'),
  pgrowlocks: names('pgrowlocks'),
  pgcrypto: names('gen_random_uuid gen_random_bytes gen_salt'),
  'uuid-ossp': names('uuid_generate_v1 uuid_generate_v1mc uuid_generate_v4'),
}

/** Functions of extensions that run SQL from a text argument, whatever the catalogue says. */
const ACTING_IN: Record<string, Set<string>> = {
  tablefunc: names('crosstab crosstab2 crosstab3 crosstab4 crosstabn connectby'),
  xml2: names('xpath_table'),
}

/** A function as the catalogue of the target knows it. */
export interface KnownFunction {
  schema: string
  name: string
  volatility: 'immutable' | 'stable' | 'volatile'
  /** the server itself, an extension, or a user of this database */
  origin: 'server' | 'extension' | 'database'
  extension: string | undefined
}

/** Returns why a read may not call a function; undefined when it may. */
export function whyNotCalled({ name, volatility, origin, extension = '' }: KnownFunction): string | undefined {
  const acts = origin === 'server' ? ACTING.has(name) : origin === 'extension' && ACTING_IN[extension]?.has(name)
  if (acts) return 'it may act, although the catalogue calls it harmless'
  if (volatility !== 'volatile') return undefined
  if (origin === 'server' && (HARMLESS.has(name) || COUNTER.test(name))) return undefined
  if (origin === 'extension' && HARMLESS_IN[extension]?.has(name)) return undefined
  return 'the catalogue calls it volatile'
}

/** Tells whether a function of the server is known to act, so that the server need not be asked. */
export function isKnownToAct(name: string): boolean {
  return ACTING.has(name) || (KNOWN_TO_ACT.test(name) && !HARMLESS.has(name))
}

function names(list: string): Set<string> {
  return new Set(list.trim().split(/\s+/))
}
