import { mkdtempSync, openSync, writeSync, fdatasyncSync, rmSync, promises as fsp } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chainRecord, GENESIS } from '#core/audit/chain.ts'
import type { AuditDraft } from '#core/audit/types.ts'
import { openFileSink } from '#platform/audit-sink/file-sink.ts'
import { nodeSinkFs, type SinkFs } from '#platform/audit-sink/sink-fs.ts'
import { sha256 } from '#platform/audit-sink/verify-range.ts'
import { verifyFile } from '#platform/audit-sink/verify-file.ts'
const mk = (n: number): AuditDraft => ({ id:`aud_${String(n).padStart(26,'0')}`, ts:'2026-11-21T10:00:00.000Z', category:'policy_decision', action:'policy.evaluated', workspace_id:'ws_00000000000000000000000000', actor:{type:'system',id:'engine',auth:'none'}, channel:'api', run_id:`run_${String(n).padStart(26,'0')}`, subject:{type:'step',id:'restart'}, data:{effect:'require_hitl', policies:['prod-default'], cost:1200} })
const dir = mkdtempSync(join(tmpdir(),'audb-'))
const W = 4000
{ // comparator: write+fdatasync per record, one writer (sync and async)
  const fd=openSync(join(dir,'raw'),'a'); let prev=GENESIS; let t=performance.now()
  for(let i=0;i<W;i++){const r=chainRecord(prev,mk(i),sha256);prev=r.record;writeSync(fd,r.line+'\n');fdatasyncSync(fd)}
  console.log('raw sync', Math.round(W/((performance.now()-t)/1e3)),'/s', 'line', chainRecord(prev,mk(1),sha256).line.length)
  const h=await fsp.open(join(dir,'raw2'),'a'); t=performance.now()
  for(let i=0;i<W;i++){const r=chainRecord(prev,mk(i),sha256);prev=r.record;await h.write(r.line+'\n');await h.datasync()}
  console.log('raw async', Math.round(W/((performance.now()-t)/1e3)),'/s')
}
for (const c of [1,8,64,256]) {
  let syncs=0
  const fs: SinkFs = {...nodeSinkFs, async open(p,o){const f=await nodeSinkFs.open(p,o);return {...f,datasync(){syncs++;return f.datasync()}}}}
  const sink=await openFileSink({path:join(dir,`a${c}.jsonl`),log:{warn(){},error(...a){console.log(a)}},fs})
  const total = c===1?W:c===8?20000:100000; let n=0; const lat: number[]=[]
  const go=async()=>{while(n<total){const a=performance.now();await sink.append([mk(n++)]);lat.push(performance.now()-a)}}
  syncs=0;const t=performance.now();await Promise.all(Array.from({length:c},go));const d=(performance.now()-t)/1e3
  lat.sort((a,b)=>a-b)
  console.log(`writers ${c}: ${Math.round(total/d)}/s p50 ${lat[lat.length>>1]?.toFixed(2)} p99 ${lat[Math.floor(lat.length*.99)]?.toFixed(2)} max ${lat.at(-1)?.toFixed(1)} ms, rec/fsync ${(total/syncs).toFixed(1)}`)
  await sink.close()
}
{ const big=join(dir,'big'); const fd=openSync(big,'a'); let prev=GENESIS; const N=500000
  for(let i=0;i<N;){let s='';for(let k=0;k<5000;k++,i++){const r=chainRecord(prev,mk(i),sha256);prev=r.record;s+=r.line+'\n'};writeSync(fd,s)}
  for (const o of [{links_only:true},{}]) { const t=performance.now(); const r=await verifyFile(big,o); console.log('verify',o,r.records,Math.round(N/((performance.now()-t)/1e3)),'rec/s rss',Math.round(process.memoryUsage().rss/1e6), r.broken) }
  let t=performance.now(); const s=await openFileSink({path:big,log:console}); console.log('open ms',performance.now()-t, s.head().seq); t=performance.now(); console.log((await s.idsAfter(N-50)).length, performance.now()-t); await s.close()
}
rmSync(dir,{recursive:true})
