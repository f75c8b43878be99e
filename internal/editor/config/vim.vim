" regreen: after a save the tests that it can affect run, and what fails is in
" the quickfix list. Put it into «.Path», for example with
"   regreen hook vim > «.Path»
" It needs Vim 8.1 or newer with +job. g:regreen_status is the last verdict, for
" a status line; the event User RegreenVerdict tells of each.
if exists('g:loaded_regreen') || !has('job') || !has('channel')
  finish
endif
let g:loaded_regreen = 1
let g:regreen_program = get(g:, 'regreen_program', «.Program | vim»)
let g:regreen_status = ''
let s:runs = {}

" A repair changes files: buffers without changes of their own follow it.
set autoread

function! s:Root(file) abort
  let l:from = fnamemodify(a:file, ':p:h') . ';'
  let l:git = finddir('.git', l:from)
  if empty(l:git)
    let l:git = findfile('.git', l:from)
  endif
  return empty(l:git) ? '' : fnamemodify(l:git, ':p:s?/$??:h')
endfunction

function! s:Save(file) abort
  let l:root = s:Root(a:file)
  if empty(l:root)
    return
  endif
  " A save supersedes the run before it, whose files are told again.
  let l:files = [fnamemodify(a:file, ':p')]
  if has_key(s:runs, l:root)
    let l:old = s:runs[l:root]
    let l:files = uniq(sort(l:old.files + l:files))
    call job_stop(l:old.job)
  endif
  let l:run = {'root': l:root, 'files': l:files, 'out': [], 'err': [], 'open': 2, 'exit': -1}
  let s:runs[l:root] = l:run
  let g:regreen_status = 'running'
  let l:run.job = job_start([g:regreen_program, 'save', '--wait', '--absolute', '--'] + l:files, {
        \ 'in_io': 'null',
        \ 'out_cb': {_, line -> add(l:run.out, line)},
        \ 'err_cb': {_, line -> add(l:run.err, line)},
        \ 'exit_cb': {_, status -> s:Ended(l:run, status)},
        \ 'close_cb': {_ -> s:Ended(l:run, -1)}})
  if job_status(l:run.job) ==# 'fail'
    call remove(s:runs, l:root)
    let g:regreen_status = 'cannot run ' . g:regreen_program
  endif
endfunction

" The run is over when its process is and all its output is read.
function! s:Ended(run, status) abort
  let a:run.open -= 1
  if a:status != -1
    let a:run.exit = a:status
  endif
  if a:run.open > 0 || get(s:runs, a:run.root, {}) isnot a:run
    return
  endif
  call remove(s:runs, a:run.root)
  let l:mine = get(getqflist({'title': 1}), 'title', '') ==# 'regreen'
  if index([0, 1, 4], a:run.exit) >= 0 && (l:mine || !empty(a:run.out))
    call setqflist([], l:mine ? 'r' : ' ', {'title': 'regreen', 'lines': a:run.out, 'efm': '%f:%l:%c: %trror: %m'})
  endif
  let l:said = filter(copy(a:run.err), 'v:val =~# "^regreen: \\(verdict\\|error\\): "')
  let g:regreen_status = empty(l:said) ? 'exit code ' . a:run.exit : substitute(l:said[-1], '^regreen: \(verdict: \)\?', '', '')
  silent! checktime
  if a:run.exit != 0
    echohl WarningMsg | echomsg 'regreen: ' . g:regreen_status | echohl None
  endif
  if exists('#User#RegreenVerdict')
    doautocmd <nomodeline> User RegreenVerdict
  endif
endfunction

augroup regreen
  autocmd!
  autocmd BufWritePost «.Globs» call s:Save(expand('<afile>:p'))
augroup END
