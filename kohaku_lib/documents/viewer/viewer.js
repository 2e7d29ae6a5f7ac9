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
