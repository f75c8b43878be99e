-- regreen: after a save the tests that it can affect run, and what fails is in
-- the quickfix list. Put it into «.Path», for example with
--   regreen hook neovim > «.Path»
-- It needs Neovim 0.7 or newer. vim.g.regreen_status is the last verdict, for a
-- status line; the event User RegreenVerdict tells of each.
if vim.g.loaded_regreen then
  return
end
vim.g.loaded_regreen = 1
vim.g.regreen_program = vim.g.regreen_program or «.Program | lua»
vim.g.regreen_status = ''
local runs = {}

local function root_of(file)
  local from = vim.fn.fnamemodify(file, ':p:h') .. ';'
  local git = vim.fn.finddir('.git', from)
  if git == '' then
    git = vim.fn.findfile('.git', from)
  end
  if git == '' then
    return nil
  end
  return vim.fn.fnamemodify(git, ':p:s?/$??:h')
end

-- The run is over when its process is and all its output is read.
local function ended(run)
  run.open = run.open - 1
  if run.open > 0 or runs[run.root] ~= run then
    return
  end
  runs[run.root] = nil
  local mine = vim.fn.getqflist({ title = 1 }).title == 'regreen'
  local told = run.exit == 0 or run.exit == 1 or run.exit == 4
  if told and (mine or #run.out > 0) then
    vim.fn.setqflist({}, mine and 'r' or ' ', { title = 'regreen', lines = run.out, efm = '%f:%l:%c: %trror: %m' })
  end
  local status = 'exit code ' .. run.exit
  for _, line in ipairs(run.err) do
    status = line:match('^regreen: verdict: (.*)') or line:match('^regreen: (error: .*)') or status
  end
  vim.g.regreen_status = status
  -- A repair changes files: buffers without changes of their own follow it.
  vim.cmd('silent! checktime')
  if run.exit ~= 0 then
    vim.api.nvim_echo({ { 'regreen: ' .. status, 'WarningMsg' } }, true, {})
  end
  vim.cmd('silent doautocmd <nomodeline> User RegreenVerdict')
end

local function save(file)
  local root = root_of(file)
  if not root then
    return
  end
  -- A save supersedes the run before it, whose files are told again.
  local files = { [file] = true }
  local old = runs[root]
  if old then
    for name in pairs(old.files) do
      files[name] = true
    end
    vim.fn.jobstop(old.job)
  end
  local run = { root = root, files = files, out = {}, err = {}, open = 3, exit = -1 }
  runs[root] = run
  local command = { vim.g.regreen_program, 'save', '--wait', '--absolute', '--' }
  for name in pairs(files) do
    table.insert(command, name)
  end
  local function lines_to(name)
    return function(_, data)
      run[name] = vim.tbl_filter(function(line) return line ~= '' end, data)
      ended(run)
    end
  end
  vim.g.regreen_status = 'running'
  local ok, job = pcall(vim.fn.jobstart, command, {
    stdout_buffered = true,
    stderr_buffered = true,
    on_stdout = lines_to('out'),
    on_stderr = lines_to('err'),
    on_exit = function(_, code)
      run.exit = code
      ended(run)
    end,
  })
  if not ok or job <= 0 then
    runs[root] = nil
    vim.g.regreen_status = 'cannot run ' .. vim.g.regreen_program
    return
  end
  run.job = job
end

local group = vim.api.nvim_create_augroup('regreen', {})
vim.api.nvim_create_autocmd('BufWritePost', {
  group = group,
  pattern = «.Globs | lua»,
  callback = function(event) save(vim.fn.fnamemodify(event.match, ':p')) end,
})
