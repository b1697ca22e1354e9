--- lsp-evalplus for Neovim 0.7 and newer: starts the server for Python buffers and reports accepted completions.
---
---     require('lsp_evalplus').setup({})
---
--- Options, all optional: `cmd` (list), `settings` (see docs/settings.md, camelCase), `on_attach`, `capabilities`.

local M = {}

local NAME = 'lsp-evalplus'
local marks = vim.api.nvim_create_namespace('lsp_evalplus')

--- The folder a file belongs to: the nearest with a project file or a repository, else its own.
local function root_of(path)
  local folder = vim.fn.fnamemodify(path ~= '' and path or vim.fn.getcwd() .. '/x', ':p:h')
  for _, marker in ipairs({ 'pyproject.toml', '.git' }) do
    local find = vim.fn.isdirectory(folder .. '/' .. marker) == 1 and vim.fn.finddir or vim.fn.findfile
    local found = find(marker, folder .. ';')
    if found == '' then
      found = vim.fn.finddir(marker, folder .. ';')
    end
    if found ~= '' then
      return vim.fn.fnamemodify(found, ':p'):gsub('/+$', ''):match('^(.*)/[^/]*$')
    end
  end
  return folder
end

local clients_by_root = {}

--- Starts the server for a buffer, or attaches the one that runs for its folder.
local function start(bufnr, options)
  local root = root_of(vim.api.nvim_buf_get_name(bufnr))
  local config = {
    name = NAME,
    cmd = options.cmd or { 'lsp-evalplus', 'serve' },
    root_dir = root,
    workspace_folders = { { uri = vim.uri_from_fname(root), name = vim.fn.fnamemodify(root, ':t') } },
    init_options = options.settings or vim.empty_dict(),
    settings = { lspEvalplus = options.settings or vim.empty_dict() },
    capabilities = options.capabilities or vim.lsp.protocol.make_client_capabilities(),
    on_attach = options.on_attach,
  }
  if vim.lsp.start then
    vim.lsp.start(config, { bufnr = bufnr })
    return
  end
  -- Neovim 0.7: one client per folder is kept here.
  config.on_exit = function()
    clients_by_root[root] = nil
  end
  clients_by_root[root] = clients_by_root[root] or vim.lsp.start_client(config)
  vim.lsp.buf_attach_client(bufnr, clients_by_root[root])
end

--- Sets everything up: call it once.
function M.setup(options)
  options = options or {}
  local group = vim.api.nvim_create_augroup('lsp_evalplus', { clear = true })
  vim.api.nvim_create_autocmd('FileType', {
    group = group,
    pattern = 'python',
    callback = function(event)
      start(event.buf, options)
    end,
  })
  for _, bufnr in ipairs(vim.api.nvim_list_bufs()) do
    if vim.api.nvim_buf_is_loaded(bufnr) and vim.bo[bufnr].filetype == 'python' then
      start(bufnr, options)
    end
  end
end

--- Our client of a buffer, or nil.
function M.client(bufnr)
  bufnr = (bufnr == nil or bufnr == 0) and vim.api.nvim_get_current_buf() or bufnr
  local get = vim.lsp.get_clients or vim.lsp.get_active_clients
  for _, client in ipairs(get()) do
    if client.name == NAME and vim.lsp.buf_is_attached(bufnr, client.id) then
      return client
    end
  end
end

--- A place as the client counts it. `row` and `column` are zero-based, the column in bytes.
local function to_position(bufnr, client, row, column)
  local line = vim.api.nvim_buf_get_lines(bufnr, row, row + 1, false)[1] or ''
  local utf32, utf16 = vim.str_utfindex(line, math.min(column, #line))
  local units = { ['utf-8'] = math.min(column, #line), ['utf-16'] = utf16, ['utf-32'] = utf32 }
  return { line = row, character = units[client.offset_encoding or 'utf-16'] }
end

--- Runs one of the server's commands. A request, because that makes every Neovim send pending changes first.
local function execute(bufnr, client, command, argument)
  local params = { command = command, arguments = { argument } }
  local ignore = function() end
  if vim.fn.has('nvim-0.11') == 1 then
    client:request('workspace/executeCommand', params, ignore, bufnr)
  else
    client.request('workspace/executeCommand', params, ignore, bufnr)
  end
end

--- Reports that the text between two places was accepted. Rows and byte columns are zero-based, the end excluded.
--- For completion plug-ins that can call a function on acceptance; `kind` is full, word, line or nextEdit.
function M.notify_accepted(bufnr, start_row, start_column, end_row, end_column, kind, source)
  local client = M.client(bufnr)
  if not client then
    return false
  end
  execute(bufnr, client, 'lspEvalplus.accepted', {
    textDocument = { uri = vim.uri_from_bufnr(bufnr), version = vim.NIL },
    ranges = {
      {
        start = to_position(bufnr, client, start_row, start_column),
        ['end'] = to_position(bufnr, client, end_row, end_column),
      },
    },
    kind = kind or 'full',
    source = source,
  })
  return true
end

--- For `vim.lsp.inline_completion.get({ on_accept = … })`: lets the item be inserted and reports where its text is.
function M.on_accept(item)
  local bufnr = vim.api.nvim_get_current_buf()
  local cursor = vim.api.nvim_win_get_cursor(0)
  local row, column, end_row, end_column = cursor[1] - 1, cursor[2], cursor[1] - 1, cursor[2]
  if item.range then
    row, column, end_row, end_column = item.range:to_extmark()
  end
  -- The mark grows with whatever is inserted, text or snippet.
  local mark = vim.api.nvim_buf_set_extmark(bufnr, marks, row, column, {
    end_row = end_row,
    end_col = end_column,
    right_gravity = false,
    end_right_gravity = true,
  })
  local owner = vim.lsp.get_client_by_id(item.client_id)
  vim.schedule(function()
    local found = vim.api.nvim_buf_get_extmark_by_id(bufnr, marks, mark, { details = true })
    vim.api.nvim_buf_del_extmark(bufnr, marks, mark)
    if found[1] then
      M.notify_accepted(bufnr, found[1], found[2], found[3].end_row, found[3].end_col, 'full', owner and owner.name)
    end
  end)
  return item
end

--- Accepts the inline completion that is shown, and reports it; false when none is shown (Neovim 0.12 and newer):
---
---     vim.keymap.set('i', '<Tab>', function()
---       return require('lsp_evalplus').accept() and '' or '<Tab>'
---     end, { expr = true })
function M.accept()
  return vim.lsp.inline_completion ~= nil and vim.lsp.inline_completion.get({ on_accept = M.on_accept })
end

--- Checks every function of the buffer now.
function M.check_file()
  local bufnr = vim.api.nvim_get_current_buf()
  local client = M.client(bufnr)
  if client then
    execute(bufnr, client, 'lspEvalplus.checkFile', { uri = vim.uri_from_bufnr(bufnr) })
  end
end

return M
