"""The fixed parts of the viewer's page: style and script. Nothing in them comes from a document."""

from __future__ import annotations

STYLE = """
:root{color-scheme:light;--rule:#d5d8dd;--dim:#5b6470}
*{box-sizing:border-box}
body{margin:0;font:14px/1.45 system-ui,sans-serif;color:#1d2126;background:#f2f3f5;height:100vh;display:flex;
flex-direction:column}
header{background:#fff;border-bottom:1px solid var(--rule);padding:8px 14px;display:flex;gap:6px 18px;flex-wrap:wrap;
align-items:baseline}
h1{font-size:16px;margin:0;overflow-wrap:anywhere}
.facts{color:var(--dim)}
.legend{display:flex;gap:12px;flex-wrap:wrap}
.legend label{cursor:pointer;white-space:nowrap}
.swatch{display:inline-block;width:11px;height:11px;border-radius:2px;background:hsl(var(--hue) 75% 45%);margin-right:4px}
nav{margin-left:auto;white-space:nowrap}
main{flex:1;min-height:0;display:grid;grid-template-columns:minmax(0,1fr) minmax(0,1fr)}
main.tree{grid-template-columns:minmax(0,1fr)}
#pages,#nodes{overflow:auto;padding:14px;min-width:0}
#nodes{background:#fff;border-left:1px solid var(--rule)}
figure{position:relative;margin:0 auto 4px;max-width:1000px;background:#fff;box-shadow:0 1px 4px #0003}
figure img{display:block;width:100%}
.caption{max-width:1000px;margin:0 auto 18px;color:var(--dim);font-size:12px}
.box{position:absolute;border:1.5px solid hsl(var(--hue) 75% 45%);background:hsl(var(--hue) 80% 50%/.10);cursor:pointer}
.box.row{border:0;border-top:1px solid hsl(var(--hue) 75% 45%/.6);background:none;pointer-events:none}
[data-toggle=dropped]+.swatch{background:#888}
.box.dropped{border:1px dashed #777;background:#8882;cursor:default}
.box b{position:absolute;left:-1px;top:-1px;transform:translate(-100%,0);font:600 10px/1.35 system-ui,sans-serif;color:#fff;
background:hsl(var(--hue) 75% 38%);padding:0 3px;border-radius:2px}
.box.edge>b{transform:none}
.box.hot{background:hsl(var(--hue) 90% 50%/.34);outline:2px solid hsl(var(--hue) 90% 35%);z-index:2}
.node{border-left:3px solid hsl(var(--hue) 75% 45%);padding:2px 8px;margin:0 0 7px calc(var(--depth)*14px);
overflow-wrap:anywhere}
.node.hot{background:hsl(var(--hue) 90% 50%/.16)}
.node small{color:var(--dim);margin-right:6px}
.node pre{margin:2px 0;font:12px/1.4 ui-monospace,monospace;white-space:pre;overflow-x:auto}
.node.heading{font-weight:650}
.node p{margin:0;white-space:pre-wrap}
.pagemark{color:var(--dim);font-size:12px;border-top:1px solid var(--rule);margin:10px 0 6px;padding-top:3px}
details{margin:4px 0 0}
.hidden{display:none!important}
"""

SCRIPT = """
const all=selector=>Array.from(document.querySelectorAll(selector));
const same=element=>all(`[data-node="${element.dataset.node}"]`);
for(const element of all('[data-node]')){
element.addEventListener('mouseenter',()=>same(element).forEach(other=>other.classList.add('hot')));
element.addEventListener('mouseleave',()=>same(element).forEach(other=>other.classList.remove('hot')));
element.addEventListener('click',()=>{const pane=element.closest('#pages')?'#nodes':'#pages';
const other=document.querySelector(`${pane} [data-node="${element.dataset.node}"]`);
if(other)other.scrollIntoView({block:'center'});});}
for(const input of all('[data-toggle]'))input.addEventListener('change',()=>
all(`[data-kind="${CSS.escape(input.dataset.toggle)}"]`).forEach(element=>element.classList.toggle('hidden',!input.checked)));
const chooser=document.querySelector('#page');
function go(page){if(!chooser)return;chooser.value=page;
for(const id of ['picture-'+page,'text-'+page]){const target=document.getElementById(id);if(target)target.scrollIntoView();}}
function step(by){const index=chooser.selectedIndex+by;if(index>=0&&index<chooser.length)go(chooser.options[index].value);}
if(chooser){chooser.addEventListener('change',()=>go(chooser.value));
document.querySelector('#back').addEventListener('click',()=>step(-1));
document.querySelector('#forth').addEventListener('click',()=>step(1));
document.addEventListener('keydown',event=>{if(event.key==='ArrowLeft')step(-1);if(event.key==='ArrowRight')step(1);});
if(location.hash.startsWith('#p'))go(location.hash.slice(2));}
"""
